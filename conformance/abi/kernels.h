/* Opening kernel libraries. Whatever they export is checked before it is called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_KERNELS_H
#define CONFORMANCE_ABI_KERNELS_H

#include <assay/kernel.h>

/* Loads a library for the rest of the process; conf_engine_find turns what a user calls it into a path. What
 * its table was built without is not given in *out. ASSAY_EIO where it cannot be loaded, ASSAY_EFORMAT where
 * its table is not one of this ABI, ASSAY_EUNSUPPORTED where it has nothing for this processor. */
assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err);

#endif
