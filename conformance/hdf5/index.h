/* The index of a dataset's chunks: the address and the stored size of each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_INDEX_H
#define CONFORMANCE_HDF5_INDEX_H

#include "conformance/hdf5/index_reader.h"

/* Reads the index, of any kind that libhdf5 writes. The caller has checked the size of the dataset in bytes.
 * Fails with ASSAY_EFORMAT if the index is damaged, if a chunk occurs twice or is not aligned to the chunk
 * grid, and if a chunk reaches beyond the file's end. */
assay_status conf_h5_chunks_read(const conf_h5_dataset *d, conf_h5_chunks *out, assay_error *err);
void conf_h5_chunks_free(conf_h5_chunks *chunks);

/* NULL if that chunk was never written. */
const conf_h5_chunk *conf_h5_chunk_find(const conf_h5_chunks *chunks, uint64_t number);

#endif
