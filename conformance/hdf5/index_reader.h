/* What readers of a chunk index hand the chunks to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_INDEX_READER_H
#define CONFORMANCE_HDF5_INDEX_READER_H

#include "conformance/hdf5/dataset.h"

typedef struct conf_h5_chunk {
    uint64_t number; /* among the chunks that the dataset's shape touches, row by row */
    uint64_t address, bytes;
    uint32_t skipped; /* bit i is set where filter i was left out */
} conf_h5_chunk;

typedef struct conf_h5_chunks {
    size_t n;
    conf_h5_chunk *at; /* sorted by number; what is not among them was never written */
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

/* Chunk coordinates [rank] of element `index` of an array, whose chunks lie row by row over what the dataset
 * may grow to; an axis without limit counts as the first. False where an axis has no chunks. */
bool conf_h5_index_coordinates(const conf_h5_index_reader *r, uint64_t index, uint64_t *coordinates);

/* Adds the chunk at these chunk coordinates; those outside the shape, and those whose address is undefined,
 * are left out. */
assay_status conf_h5_index_add(conf_h5_index_reader *r, const uint64_t *coordinates,
                               const conf_h5_chunk *chunk, assay_error *err);

/* Adds element `index` of an array: chunks row by row over what the dataset may grow to, where an axis
 * without limit counts as the first. element: an address, and with filters the number of bytes and the
 * filters that were skipped. */
assay_status conf_h5_index_add_element(conf_h5_index_reader *r, uint64_t index, conf_bytes element,
                                       assay_error *err);

/* Fails with ASSAY_EFORMAT: the chunk index is damaged. */
assay_status conf_h5_index_fail(const conf_h5_index_reader *r, assay_error *err);

#endif
