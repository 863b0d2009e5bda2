/* Reading untrusted HDF5 files. The format is decoded here and not by libhdf5, which only writes files:
 * versions of it that are in use read beyond their buffers where a file's sizes disagree, in attributes, in
 * the global heap and in the filters of chunks. Every address and size is checked against the file and
 * against limits before anything is allocated, read or unpacked; what is wrong becomes an assay_error that
 * names file and member.
 *
 * What is read: superblocks of versions 0 to 3 with addresses and lengths of 8 bytes; groups and attributes
 * in headers, B-trees and fractal heaps; hard links; data that are compact, contiguous or in chunks, with
 * every index that libhdf5 writes; the filters shuffle, deflate and fletcher32. Checksums of the structure
 * are compared. Refused by name: soft and external links, virtual and external storage, types that other
 * objects share, every other filter.
 *
 * Strings of variable length are read from the global heap, each at most CONF_H5_STRING_BYTES_MAX long, out
 * of a collection whose objects are checked one by one. What was never written has the dataset's fill value,
 * 0 if it has none.
 *
 * Types are integers of 8, 16, 32 and 64 bits, signed or not, float16, bfloat16, float32 and float64, of
 * every bit of their bytes, in either byte order. bfloat16 is HDF5's own type of that layout, or uint16 in a
 * dataset that has the attribute "dtype" with the text "bfloat16". float16 and bfloat16 are widened to
 * float32, exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_HDF5_H
#define CONFORMANCE_HDF5_HDF5_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stdint.h>

#include "conformance/support/strings.h"

#define CONF_H5_DATASET_BYTES_MAX  ((size_t)1 << 31)
#define CONF_H5_STRING_BYTES_MAX   ((size_t)1 << 20)
#define CONF_H5_FILE_BYTES_MAX     ((size_t)1 << 33) /* all datasets of a file together */
#define CONF_H5_MEMBERS_MAX        4096
#define CONF_H5_TEXTS_MAX          256 /* strings of one dataset or attribute: all may be one long text */
#define CONF_H5_BFLOAT16_ATTRIBUTE "dtype"
#define CONF_H5_BFLOAT16           "bfloat16"

/* What the datasets of a file that are held in memory may take together: this much, and this many times the
 * file's size. Recorded logits hardly shrink, padding does; the bundled cases take less than twice it. */
#define CONF_H5_UNPACKED_BYTES ((size_t)64 << 20)
#define CONF_H5_UNPACKED_RATIO 32

/* What a byte of a file may unpack to where data are read in passing: deflate's own limit. */
#define CONF_H5_STREAMED_RATIO 1032

typedef struct conf_h5 conf_h5;

/* A set of element types: bits CONF_H5_TYPE(dtype). */
typedef uint32_t conf_h5_types;
#define CONF_H5_TYPE(dtype) ((conf_h5_types)1 << (dtype))

#define CONF_H5_INTEGERS                                                                                     \
    (CONF_H5_TYPE(ASSAY_I64) | CONF_H5_TYPE(ASSAY_I32) | CONF_H5_TYPE(ASSAY_I16) | CONF_H5_TYPE(ASSAY_I8) |  \
     CONF_H5_TYPE(ASSAY_U64) | CONF_H5_TYPE(ASSAY_U32) | CONF_H5_TYPE(ASSAY_U16) | CONF_H5_TYPE(ASSAY_U8))
#define CONF_H5_FLOATS                                                                                       \
    (CONF_H5_TYPE(ASSAY_F64) | CONF_H5_TYPE(ASSAY_F32) | CONF_H5_TYPE(ASSAY_F16) | CONF_H5_TYPE(ASSAY_BF16))

/* The types of the case format, which conf_h5_read and conf_h5_shape keep to. */
#define CONF_H5_CASE_TYPES                                                                                   \
    (CONF_H5_TYPE(ASSAY_F64) | CONF_H5_TYPE(ASSAY_F32) | CONF_H5_TYPE(ASSAY_I64) | CONF_H5_TYPE(ASSAY_I32) | \
     CONF_H5_TYPE(ASSAY_U8))

/* A dataset in memory: dense, row-major, of the machine's byte order. */
typedef struct conf_array {
    assay_dtype dtype; /* never F16 or BF16, which are widened to F32 */
    size_t rank;
    size_t shape[ASSAY_TENSOR_RANK_MAX];
    size_t n; /* elements */
    void *data;
} conf_array;

/* Opens `path` read-only. ASSAY_EIO where the system refuses it, ASSAY_EFORMAT where it is not HDF5, cut
 * short, still being written, or where the root or its attributes are damaged. */
assay_status conf_h5_open(const char *path, conf_h5 **out, assay_error *err);
void conf_h5_close(conf_h5 *file);

/* Lowers what all datasets of the file may unpack to together, and the size of a chunk, to `bytes`. */
void conf_h5_limit(conf_h5 *file, size_t bytes);
const char *conf_h5_path(const conf_h5 *file);

/* Whether `name` (absolute, "/expect/tokens") exists, whatever it is; also where a link that is not followed
 * or a damaged group stands on the way, so that reading it says so. */
bool conf_h5_has(const conf_h5 *file, const char *name);

/* Names of the links in group `name`, sorted bytewise; none if there is no such group. Fails as conf_h5_read
 * does. */
assay_status conf_h5_members(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err);

/* Names of the root's attributes, sorted bytewise. */
assay_status conf_h5_attributes(const conf_h5 *file, conf_strings *out, assay_error *err);

/* Reads a numeric dataset of one of CONF_H5_CASE_TYPES; ASSAY_EFORMAT where it is missing, of another type,
 * of more than 8 axes, larger than CONF_H5_DATASET_BYTES_MAX or than what is left to the file, damaged, or
 * stored in a way that is refused. Nothing is allocated before type, shape and size have been checked. */
assay_status conf_h5_read(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);

/* The same for a set of types. */
assay_status conf_h5_read_types(const conf_h5 *file, const char *name, conf_h5_types types, conf_array *out,
                                assay_error *err);

/* Reads a dataset of any type of integers as I64. Fails with ASSAY_EFORMAT, too, where one is larger. */
assay_status conf_h5_read_integers(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);
void conf_array_free(conf_array *a);

/* A dataset's type and shape as text, whatever they are: "F32", "BF16", "float of 24 bits", "text";
 * "[2,5,19]". The type is that of the file: dtype tells float16 and bfloat16, too, and is ASSAY_DTYPE_NONE
 * for what is not a number that is read. */
typedef struct conf_signature {
    char type[32], shape[96];
    assay_dtype dtype;
} conf_signature;

/* Fails as conf_h5_read does where the dataset itself cannot be read. */
assay_status conf_h5_signature(const conf_h5 *file, const char *name, conf_signature *out, assay_error *err);

/* "[2,*,19]": a shape [rank] as conf_h5_signature prints it; SIZE_MAX: any length. */
void conf_shape_print(char *text, size_t size, const size_t *shape, size_t rank);

/* Type and shape alone, by the rules of conf_h5_read but of any size; out->data is NULL. */
assay_status conf_h5_shape(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);

/* The same for a set of types. */
assay_status conf_h5_shape_types(const conf_h5 *file, const char *name, conf_h5_types types, conf_array *out,
                                 assay_error *err);

/* Reads a dataset of strings with one axis. */
assay_status conf_h5_read_strings(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err);

/* Attributes of the root. */
assay_status conf_h5_has_attribute(const conf_h5 *file, const char *name, bool *has, assay_error *err);
assay_status conf_h5_attribute_text(const conf_h5 *file, const char *name, char **out, assay_error *err);
assay_status conf_h5_attribute_texts(const conf_h5 *file, const char *name, conf_strings *out,
                                     assay_error *err);

/* A number that `object` ("/" for the root) may have as an attribute; *out is untouched where it has none. */
assay_status conf_h5_attribute_number(const conf_h5 *file, const char *object, const char *name, bool *found,
                                      double *out, assay_error *err);

#endif
