/* One variant of every operation, as chosen for one instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_KERNELS_H
#define FASTPATH_KERNELS_KERNELS_H

#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/cap/cap.h"
#include "fastpath/kernels/gate/gate.h"
#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/narrow/narrow.h"
#include "fastpath/kernels/rms_norm/rms_norm.h"
#include "fastpath/kernels/rope/rope.h"
#include "fastpath/kernels/router/router.h"

typedef struct fp_kernels {
    assay_kernels op;
    const char *outside; /* name of the external table that replaces some operations; NULL: none */
    fp_narrow_bf16_fn *narrow_bf16;
    fp_narrow_i8_fn *narrow_i8;
} fp_kernels;

fp_kernels fp_kernels_pick(fp_isa isa);

/* Replaces fastpath's operations by those of an external table. For products, a layout is replaced with
 * all of its products: one that the table lacks is then missing. Fails with ASSAY_EINVAL if the table
 * has another ABI. given is borrowed for as long as the kernels are used. */
assay_status fp_kernels_replace(fp_kernels *own, const assay_kernels *given, assay_error *err);

#endif
