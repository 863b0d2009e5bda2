/* Products with stored matrices of any description, over panels of affine groups where those are exact, and
 * of float32 otherwise. The contract is assay_matmul_stored's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_STORED_STORED_H
#define FASTPATH_KERNELS_STORED_STORED_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

/* Packs a panel of FP_PANEL outputs as groups of any kind that fp_form_choose has set, or as float32. */
void fp_stored_pack(void *panel, const assay_stored *w, size_t index, const assay_weight *as);

/* The best variant that runs on isa. */
const assay_matmul_stored *fp_stored_pick(fp_isa isa);

#endif
