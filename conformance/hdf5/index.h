/* The index of a dataset's chunks: where each lies, and how many bytes are really stored there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_INDEX_H
#define CONFORMANCE_HDF5_INDEX_H

#include "conformance/hdf5/index_reader.h"

/* Reads the index, of any kind that libhdf5 writes. The size of the dataset in bytes has been checked. Fails
 * with ASSAY_EFORMAT where it is damaged, where it has a chunk twice, or one that does not begin where chunks
 * do, and where a chunk reaches beyond the file's end. */
assay_status conf_h5_chunks_read(const conf_h5_dataset *d, conf_h5_chunks *out, assay_error *err);
void conf_h5_chunks_free(conf_h5_chunks *chunks);

/* NULL where that chunk was never written. */
const conf_h5_chunk *conf_h5_chunk_find(const conf_h5_chunks *chunks, uint64_t number);

#endif
