/* Reading HDF5 files that nobody vouches for. Every link, type, shape and size is checked before anything is
 * read; HDF5's own error stack stays silent, and what is wrong becomes an assay_error that names file and
 * member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_H5_H
#define CONFORMANCE_H5_H

#include <assay/engine.h>

#include <stdbool.h>

#define CONF_H5_DATASET_BYTES_MAX ((size_t)1 << 31)
#define CONF_H5_STRING_BYTES_MAX  ((size_t)1 << 20)
#define CONF_H5_FILE_BYTES_MAX    ((size_t)1 << 33) /* all datasets of a file together */
#define CONF_H5_MEMBERS_MAX       4096
#define CONF_H5_TEXTS_MAX         256 /* strings of one dataset or attribute: all may be one long text */

/* What a byte of a file may unpack to: deflate's own limit. Only chunks that were never written hold more. */
#define CONF_H5_UNPACKED_RATIO 1032

typedef struct conf_h5 conf_h5;

/* A dataset in memory: dense, row-major, of the machine's byte order. */
typedef struct conf_array {
    assay_dtype dtype; /* F64, F32, I64, I32 or U8 */
    size_t rank;
    size_t shape[ASSAY_TENSOR_RANK_MAX];
    size_t n; /* elements */
    void *data;
} conf_array;

typedef struct conf_strings {
    size_t n;
    char **at;
} conf_strings;

/* Opens `path` read-only. ASSAY_EIO where the system refuses it, ASSAY_EFORMAT where it is not HDF5 or cut
 * short. */
assay_status conf_h5_open(const char *path, conf_h5 **out, assay_error *err);
void conf_h5_close(conf_h5 *file);

/* Lowers what all datasets of the file may unpack to together, and the size of a chunk, to `bytes`. */
void conf_h5_limit(conf_h5 *file, size_t bytes);
const char *conf_h5_path(const conf_h5 *file);

/* Whether `name` (absolute, "/expect/tokens") exists, whatever it is; also where a link that is not followed
 * stands on the way, so that reading it says so. */
bool conf_h5_has(const conf_h5 *file, const char *name);

/* Names of the links in group `name`, sorted bytewise; none if there is no such group. Fails as conf_h5_read
 * does. */
assay_status conf_h5_members(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err);

/* Names of the root's attributes, sorted bytewise. */
assay_status conf_h5_attributes(const conf_h5 *file, conf_strings *out, assay_error *err);

/* Reads a numeric dataset; ASSAY_EFORMAT where it is missing, reached by anything but hard links, virtual,
 * stored outside the file, packed by anything but shuffle, deflate and fletcher32, larger than
 * CONF_H5_DATASET_BYTES_MAX or than its file can hold, of another type or of more than 8 axes. */
assay_status conf_h5_read(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);
void conf_array_free(conf_array *a);

/* A dataset's type and shape as text, whatever they are: "F32", "float of 16 bits", "text"; "[2,5,19]". */
typedef struct conf_signature {
    char type[32], shape[96];
} conf_signature;

/* Fails as conf_h5_read does where the dataset itself cannot be read. */
assay_status conf_h5_signature(const conf_h5 *file, const char *name, conf_signature *out, assay_error *err);

/* "[2,*,19]": a shape [rank] as conf_h5_signature prints it; SIZE_MAX: any length. */
void conf_shape_print(char *text, size_t size, const size_t *shape, size_t rank);

/* Type and shape alone, by the same rules but of any size; out->data is NULL. */
assay_status conf_h5_shape(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);

/* Reads a dataset of strings with one axis. */
assay_status conf_h5_read_strings(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err);
void conf_strings_free(conf_strings *s);

/* Attributes of the root. */
bool conf_h5_has_attribute(const conf_h5 *file, const char *name);
assay_status conf_h5_attribute_text(const conf_h5 *file, const char *name, char **out, assay_error *err);
assay_status conf_h5_attribute_texts(const conf_h5 *file, const char *name, conf_strings *out,
                                     assay_error *err);

/* A number that `object` ("/" for the root) may have as an attribute; *out is untouched where it has none.
 * libhdf5 must not be asked again for an attribute of an object of which one could not be read. */
assay_status conf_h5_attribute_number(const conf_h5 *file, const char *object, const char *name, bool *found,
                                      double *out, assay_error *err);

#endif
