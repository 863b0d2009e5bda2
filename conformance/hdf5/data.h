/* The data of a dataset: every byte that the harness reads of an HDF5 file comes through here. What is stored
 * is fetched as it lies in the file, its size checked, and unpacked by h5_chunk; what was never written is
 * the dataset's fill value.
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
    size_t step[ASSAY_TENSOR_RANK_MAX]; /* lengths of a chunk; 1 where there are none */
    size_t n;                           /* elements */
    size_t element;                     /* bytes of an element in memory */
    size_t chunk_bytes;                 /* as conf_unpacker_new takes them; 0 where there are no chunks */
} conf_data;

/* Part of a dataset: [lo, hi) on each axis. */
typedef struct conf_region {
    size_t lo[ASSAY_TENSOR_RANK_MAX], hi[ASSAY_TENSOR_RANK_MAX];
} conf_region;

/* Takes over a dataset that has been opened, and reads its chunk index; on failure it is closed. n_axes: axes
 * that the data have at least. Fails with ASSAY_EFORMAT where it has more than ASSAY_TENSOR_RANK_MAX axes or
 * more than `most` bytes (in its file's type), where its index is damaged, and where contiguous or compact
 * data are not those of its shape or reach beyond the file's end. */
assay_status conf_data_open(conf_h5_dataset *d, size_t n_axes, size_t most, conf_data *out, assay_error *err);
void conf_data_close(conf_data *data);

/* Whether data lie in the file as they are in memory, and in one piece. */
bool conf_data_is_plain(const conf_data *data);

/* How many parts a region, which must not be empty, is read in; any thread may read any of them. */
size_t conf_data_n_parts(const conf_data *data, const conf_region *region);

/* Reads part `part` of the region to its place in into: [hi - lo on each axis], dense, elements converted as
 * conf_h5_type_convert does. u: the calling thread's, for chunks of chunk_bytes; NULL where there are none.
 * Fails with ASSAY_EFORMAT where the file is damaged. */
assay_status conf_data_read_part(const conf_data *data, const conf_region *region, size_t part, void *into,
                                 conf_unpacker *u, assay_error *err);

/* Reads all parts of a region, which may be empty, on the calling thread. */
assay_status conf_data_read(const conf_data *data, const conf_region *region, void *into, assay_error *err);

/* The whole dataset. */
conf_region conf_data_whole(const conf_data *data);

#endif
