/* The index of a dataset's chunks: where each lies, and how many bytes are really stored there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_INDEX_H
#define CONFORMANCE_HDF5_INDEX_H

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

/* Reads the index, of any kind that libhdf5 writes. The size of the dataset in bytes has been checked. Fails
 * with ASSAY_EFORMAT where it is damaged, where it has a chunk twice, or one that does not begin where chunks
 * do, and where a chunk reaches beyond the file's end. */
assay_status conf_h5_chunks_read(const conf_h5_dataset *d, conf_h5_chunks *out, assay_error *err);
void conf_h5_chunks_free(conf_h5_chunks *chunks);

/* NULL where that chunk was never written. */
const conf_h5_chunk *conf_h5_chunk_find(const conf_h5_chunks *chunks, uint64_t number);

/* Bytes of a chunk without filters. */
uint64_t conf_h5_chunk_bytes(const conf_h5_dataset *d);

/* What readers of an index hand the chunks to. */
typedef struct conf_h5_index_reader {
    const conf_h5_dataset *d;
    conf_h5_chunks *chunks;
    size_t rank;
    uint64_t grid[CONF_H5_RANK_MAX];    /* chunks that the shape touches, on each axis */
    uint64_t maximum[CONF_H5_RANK_MAX]; /* that it may grow to */
} conf_h5_index_reader;

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

/* Read fixed and extensible arrays. */
assay_status conf_h5_fixed_read(conf_h5_index_reader *r, assay_error *err);
assay_status conf_h5_extensible_read(conf_h5_index_reader *r, assay_error *err);

#endif
