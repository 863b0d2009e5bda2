/* The data of a dataset: all data that the harness reads from an HDF5 file are read here. Stored data are
 * read, their size is checked, and chunk.h unpacks them; elements that were never written have the dataset's
 * fill value.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_DATA_H
#define CONFORMANCE_HDF5_DATA_H

#include "conformance/hdf5/index.h"

typedef struct conf_data {
    conf_h5_dataset d;
    conf_h5_chunks chunks;
    size_t rank; /* at least 1; axes that the dataset lacks are leading ones of length 1 */
    size_t shape[ASSAY_TENSOR_RANK_MAX];
    size_t step[ASSAY_TENSOR_RANK_MAX]; /* shape of a chunk; 1 without chunks */
    size_t n;                           /* elements */
    size_t element;                     /* bytes of an element in memory */
    size_t chunk_bytes;                 /* for conf_unpacker_new; 0 without chunks */
} conf_data;

/* Part of a dataset: [lo, hi) on each axis. */
typedef struct conf_region {
    size_t lo[ASSAY_TENSOR_RANK_MAX], hi[ASSAY_TENSOR_RANK_MAX];
} conf_region;

/* Takes ownership of an open dataset and reads its chunk index; on failure the dataset is closed. n_axes:
 * the least number of axes in *out. Fails with ASSAY_EFORMAT if the dataset has more than
 * ASSAY_TENSOR_RANK_MAX axes or more than `most` bytes (in the file's type), if its index is damaged, and if
 * contiguous or compact data have another size than its shape or reach beyond the file's end. */
assay_status conf_data_open(conf_h5_dataset *d, size_t n_axes, size_t most, conf_data *out, assay_error *err);
void conf_data_close(conf_data *data);

/* Whether the data are contiguous in the file, in the type and byte order that they have in memory. */
bool conf_data_is_plain(const conf_data *data);

/* In how many parts a non-empty region is read; threads may read them concurrently. */
size_t conf_data_n_parts(const conf_data *data, const conf_region *region);

/* Reads part `part` of the region into its elements of into: [hi - lo on each axis], dense, elements
 * converted as conf_h5_type_convert does. u: the calling thread's, for chunks of chunk_bytes; NULL if there
 * are no chunks. Fails with ASSAY_EFORMAT if the file is damaged. */
assay_status conf_data_read_part(const conf_data *data, const conf_region *region, size_t part, void *into,
                                 conf_unpacker *u, assay_error *err);

/* Reads all parts of a region, which may be empty, on the calling thread. */
assay_status conf_data_read(const conf_data *data, const conf_region *region, void *into, assay_error *err);

/* The whole dataset. */
conf_region conf_data_whole(const conf_data *data);

#endif
