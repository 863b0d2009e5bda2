/* What h5.c and h5_text.c share: an open file, and opening its objects safely.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_H5_FILE_H
#define CONFORMANCE_H5_FILE_H

#include "conformance/h5.h"

#include <hdf5.h>

struct conf_h5 {
    hid_t id;
    char *path;
    size_t size;  /* bytes of the file */
    size_t most;  /* bytes that it may unpack to */
    size_t *left; /* how many of them are left; a pointer, since readers borrow the file const */
};

/* Takes what `name` unpacks to from file->left, so that many datasets cannot ask for more memory together
 * than CONF_H5_FILE_BYTES_MAX, nor a small file for much. Call it before the memory is asked for. */
assay_status conf_h5_memory_take(const conf_h5 *file, const char *name, size_t bytes, assay_error *err);

/* ASSAY_EFORMAT unless `name` exists and every link on the way to it is a hard one: a soft link can go round
 * in circles, an external one leaves the file. */
assay_status conf_h5_links_check(const conf_h5 *file, const char *name, assay_error *err);

/* Opens a dataset by absolute name and checks how it is stored. The caller closes *id. */
assay_status conf_h5_dataset_open(const conf_h5 *file, const char *name, hid_t *id, assay_error *err);

/* Reads rank, shape and count of a dataspace; bytes: of one element, most: of all. */
assay_status conf_h5_extent(const conf_h5 *file, const char *name, hid_t space, size_t bytes, size_t most,
                            conf_array *out, assay_error *err);

/* Type, shape and count of an open dataset, of any size. out is overwritten also on failure. */
assay_status conf_h5_describe(const conf_h5 *file, const char *name, hid_t dataset, conf_array *out,
                              assay_error *err);

/* The type that is read: ASSAY_DTYPE_NONE for all others. */
assay_dtype conf_h5_dtype_of(hid_t type);

/* libhdf5's name for the type in memory. */
hid_t conf_h5_memory_type(assay_dtype dtype);

#endif
