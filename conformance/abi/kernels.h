/* Opens kernel libraries. Their exported tables are checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_KERNELS_H
#define CONFORMANCE_ABI_KERNELS_H

#include <assay/kernel.h>

/* Loads a library for the rest of the process; conf_engine_find resolves its name. Operations that its
 * table lacks are NULL in *out. Fails with ASSAY_EIO if the library cannot be loaded, ASSAY_EFORMAT if
 * it exports no table of this ABI, ASSAY_EUNSUPPORTED if it does not support this processor. */
assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err);

#endif
