/* Products with stored matrices of any description, over panels of affine groups where those are exact, and
 * of float32 otherwise. The contract is assay_matmul_stored's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_STORED_STORED_H
#define FASTPATH_KERNELS_STORED_STORED_H

#include <assay/kernel.h>

#include "fastpath/kernels/isa/isa.h"

/* The best variant that runs on isa. */
const assay_matmul_stored *fp_stored_pick(fp_isa isa);

#endif
