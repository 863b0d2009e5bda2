/* Opens kernel libraries. Their exported tables are checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_KERNELS_H
#define CONFORMANCE_ABI_KERNELS_H

#include <assay/kernel.h>

/* Loads a library for the rest of the process; conf_engine_find resolves its name. *out is a copy of its
 * table that lives as long as the process: operations that the library lacks are NULL, and so are
 * functions that a shorter operation lacks. Fails with ASSAY_EIO if the library cannot be loaded,
 * ASSAY_EFORMAT if it exports no table of this ABI, or an operation is too short or lacks a required
 * member, ASSAY_EUNSUPPORTED if it does not support this processor, ASSAY_ENOMEM. */
assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err);

#endif
