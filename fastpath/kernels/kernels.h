/* One variant of every operation, as chosen for one instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_KERNELS_H
#define FASTPATH_KERNELS_KERNELS_H

#include "fastpath/kernels/attention.h"
#include "fastpath/kernels/cap.h"
#include "fastpath/kernels/gate.h"
#include "fastpath/kernels/matmul.h"
#include "fastpath/kernels/norm.h"
#include "fastpath/kernels/rope.h"
#include "fastpath/kernels/router.h"

typedef struct fp_kernels {
    const fp_matmul_variant *matmul;
    fp_attention_fn *attention;
    fp_norm_fn *norm;
    fp_rope_fn *rope;
    fp_gate_fn *gate;
    fp_router_fn *router;
    fp_cap_fn *cap;
} fp_kernels;

fp_kernels fp_kernels_pick(fp_isa isa);

#endif
