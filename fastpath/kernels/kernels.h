/* One variant of every operation, as chosen for one instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_KERNELS_H
#define FASTPATH_KERNELS_KERNELS_H

#include "fastpath/kernels/attention.h"
#include "fastpath/kernels/cap.h"
#include "fastpath/kernels/gate.h"
#include "fastpath/kernels/matmul.h"
#include "fastpath/kernels/narrow.h"
#include "fastpath/kernels/norm.h"
#include "fastpath/kernels/rope.h"
#include "fastpath/kernels/router.h"

typedef struct fp_kernels {
    assay_kernels op;
    fp_narrow_bf16_fn *narrow_bf16;
    fp_narrow_i8_fn *narrow_i8;
} fp_kernels;

fp_kernels fp_kernels_pick(fp_isa isa);

#endif
