/* Fixed and extensible arrays, which store the chunk index of a dataset.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_INDEX_ARRAY_H
#define CONFORMANCE_HDF5_INDEX_ARRAY_H

#include "conformance/hdf5/index_reader.h"

assay_status conf_h5_fixed_read(conf_h5_index_reader *r, assay_error *err);
assay_status conf_h5_extensible_read(conf_h5_index_reader *r, assay_error *err);

#endif
