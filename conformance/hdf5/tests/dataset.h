/* A dataset of three axes in a file of its own, stored in any way that HDF5 has, and a stream that reads it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_TESTS_DATASET_H
#define CONFORMANCE_HDF5_TESTS_DATASET_H

#include "conformance/hdf5/rows.h"

#include <hdf5.h>
#include <stdbool.h>

enum { DATASET_B = 3, DATASET_T = 7, DATASET_V = 11 };

/* Of the test under way; NULL until they are open. */
extern const char *dataset_path;
extern conf_h5 *dataset_file;
extern conf_h5_rows *dataset_stream;

/* Fixtures of each test, in the place of support_setup and support_teardown. */
void dataset_setup(void);
void dataset_teardown(void);

/* How a dataset is stored. */
typedef struct dataset_storage {
    const char *filters; /* letters in the order of writing: s, d, f */
    hsize_t chunk[3];    /* 0: contiguous */
    bool big, wide;      /* of the file's type */
    bool part;           /* only the middle sample is written; the rest are fill values */
    bool compact;
    hsize_t user_block;
} dataset_storage;

/* Writes the file, and opens it and its stream. A failure fails the test. */
void dataset_write(const dataset_storage *s);
void dataset_open(void);

/* Replaces the first chunk by raw bytes. skipped: filters that they have not gone through. */
void dataset_replace_chunk(const void *bytes, size_t n, uint32_t skipped);

#endif
