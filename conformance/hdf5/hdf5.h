/* Reading untrusted HDF5 files. The format is decoded here and not by libhdf5, which only writes files:
 * versions of it that are in use read beyond their buffers if the sizes in a file are inconsistent, in
 * attributes, in the global heap and in the filters of chunks. Every address and size is checked against the
 * file and against limits before anything is allocated, read or unpacked; failures name the file and the
 * member in an assay_error.
 *
 * Supported: superblocks of versions 0 to 3 with addresses and lengths of 8 bytes; groups and attributes in
 * headers, B-trees and fractal heaps; hard links; compact, contiguous and chunked data, with every index
 * that libhdf5 writes; the filters shuffle, deflate and fletcher32. Checksums of the structure are verified.
 * Refused with a message: soft and external links, virtual and external storage, types that other objects
 * share, every other filter.
 *
 * Strings of variable length are read from the global heap, each at most CONF_H5_STRING_BYTES_MAX long; each
 * object of its collection is checked. Elements that were never written have the dataset's fill value, 0 if
 * it has none.
 *
 * Types are integers of 8, 16, 32 and 64 bits, signed or not, float16, bfloat16, float32 and float64,
 * without padding bits, in either byte order. bfloat16 is HDF5's own type of that layout, or uint16 in a
 * dataset that has the attribute "dtype" with the text "bfloat16". float16 and bfloat16 are widened to
 * float32, exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_HDF5_H
#define CONFORMANCE_HDF5_HDF5_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stdint.h>

#include "conformance/hdf5/types.h"
#include "conformance/support/strings.h"

/* Opens `path` read-only. It may end with the path of a group in the file, "FILE/GROUP", as h5ls names
 * groups: the group is then the root, and the rest of the file is not read. ASSAY_EIO if the system cannot
 * open the file; ASSAY_EFORMAT if it is not HDF5, is truncated or still being written, has no such group, or
 * if the root or its attributes are damaged. */
assay_status conf_h5_open(const char *path, conf_h5 **out, assay_error *err);
void conf_h5_close(conf_h5 *file);

/* Lowers the limit of the unpacked size of all datasets of the file together to `bytes`. */
void conf_h5_limit(conf_h5 *file, size_t bytes);

/* Allows chunks as large as deflate can make of the file, which streams unpack one by one. Otherwise a chunk
 * is limited as all datasets together are. For a process whose memory is limited. */
void conf_h5_allow_large_chunks(conf_h5 *file);

/* Whether `name` (absolute, "/expect/tokens") exists, of any type. Also true if its path contains a link
 * that is not followed, or a damaged group: reading it then reports that. */
bool conf_h5_has(const conf_h5 *file, const char *name);

/* Names of the links in group `name`, sorted bytewise; none if there is no such group. Fails as conf_h5_read
 * does. */
assay_status conf_h5_members(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err);

/* Reads a numeric dataset of one of CONF_H5_CASE_TYPES; ASSAY_EFORMAT if it is missing, of another type, of
 * more than 8 axes, larger than CONF_H5_DATASET_BYTES_MAX or than the rest of the file's limit, damaged, or
 * stored in a way that is not supported. Nothing is allocated before type, shape and size have been checked.
 */
assay_status conf_h5_read(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);

/* The same for a set of types. */
assay_status conf_h5_read_types(const conf_h5 *file, const char *name, conf_h5_types types, conf_array *out,
                                assay_error *err);

/* Reads a dataset of any type of integers as I64. Also fails with ASSAY_EFORMAT if an integer does not fit.
 */
assay_status conf_h5_read_integers(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);

/* Type and shape alone, by the rules of conf_h5_read but of any size; out->data is NULL. */
assay_status conf_h5_shape(const conf_h5 *file, const char *name, conf_array *out, assay_error *err);

/* The same for a set of types. */
assay_status conf_h5_shape_types(const conf_h5 *file, const char *name, conf_h5_types types, conf_array *out,
                                 assay_error *err);

#endif
