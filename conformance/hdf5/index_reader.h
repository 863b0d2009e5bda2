/* Collects the chunks that readers of the chunk indices find.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_INDEX_READER_H
#define CONFORMANCE_HDF5_INDEX_READER_H

#include "conformance/hdf5/dataset.h"

typedef struct conf_h5_chunk {
    uint64_t number; /* among the chunks that the dataset's shape touches, row by row */
    uint64_t address, bytes;
    uint32_t skipped; /* bit i is set if filter i was not applied */
} conf_h5_chunk;

typedef struct conf_h5_chunks {
    size_t n;
    conf_h5_chunk *at; /* sorted by number; a chunk that is missing was never written */
} conf_h5_chunks;

/* Bytes of a chunk without filters. */
uint64_t conf_h5_chunk_bytes(const conf_h5_dataset *d);

typedef struct conf_h5_index_reader {
    const conf_h5_dataset *d;
    conf_h5_chunks *chunks;
    size_t rank;
    uint64_t grid[CONF_H5_RANK_MAX];    /* chunks that the shape touches, on each axis */
    uint64_t maximum[CONF_H5_RANK_MAX]; /* that it may grow to */
} conf_h5_index_reader;

/* Chunk coordinates [rank] of element `index` of an array, which lists the chunks of the dataset's maximum
 * shape row by row, with an axis without limit as the first one. False if an axis has no chunks. */
bool conf_h5_index_coordinates(const conf_h5_index_reader *r, uint64_t index, uint64_t *coordinates);

/* Adds the chunk at these chunk coordinates; chunks outside the shape, or with an undefined address, are
 * ignored. */
assay_status conf_h5_index_add(conf_h5_index_reader *r, const uint64_t *coordinates,
                               const conf_h5_chunk *chunk, assay_error *err);

/* Adds element `index` of an array, in the order of conf_h5_index_coordinates. element: an address, and if
 * the dataset has filters, the stored size and the skipped filters. */
assay_status conf_h5_index_add_element(conf_h5_index_reader *r, uint64_t index, conf_bytes element,
                                       assay_error *err);

/* Fails with ASSAY_EFORMAT: the chunk index is damaged. */
assay_status conf_h5_index_fail(const conf_h5_index_reader *r, assay_error *err);

#endif
