/* Opening kernel libraries. Whatever they export is checked before it is called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KERNELS_H
#define CONFORMANCE_KERNELS_H

#include <assay/kernel.h>

/* Loads a library for the rest of the process; conf_engine_find turns what a user calls it into a path. What
 * its table was built without is not given in *out. ASSAY_EIO where it cannot be loaded, ASSAY_EFORMAT where
 * its table is not one of this ABI, ASSAY_EUNSUPPORTED where it has nothing for this processor. */
assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err);

/* Why an engine without model_open_with cannot be given kernels. */
extern const char *const conf_kernels_refusal;

/* Opens a checkpoint, with these kernels where they are not NULL. Fails as the engine does, and with
 * ASSAY_EUNSUPPORTED where it takes none: nothing is computed by others in silence. */
assay_status conf_kernels_model_open(const assay_engine *engine, const assay_kernels *kernels,
                                     const char *dir, assay_model **out, assay_error *err);

#endif
