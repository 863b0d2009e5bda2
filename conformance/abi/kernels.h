/* Opens kernel libraries. Their exported tables are checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_KERNELS_H
#define CONFORMANCE_ABI_KERNELS_H

#include <assay/kernel.h>

/* Loads a library for the rest of the process; conf_engine_find turns what a user calls it into a path.
 * Operations that its table lacks are absent from *out. ASSAY_EIO if it cannot be loaded, ASSAY_EFORMAT if
 * its table is not one of this ABI, ASSAY_EUNSUPPORTED if it does not support this processor. */
assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err);

#endif
