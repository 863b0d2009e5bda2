/* One variant of every operation, as chosen for one instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_KERNELS_H
#define FASTPATH_KERNELS_KERNELS_H

#include "fastpath/kernels/attention/attention.h"
#include "fastpath/kernels/cap/cap.h"
#include "fastpath/kernels/delta/delta.h"
#include "fastpath/kernels/gate/gate.h"
#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/narrow/coded.h"
#include "fastpath/kernels/narrow/narrow.h"
#include "fastpath/kernels/rms_norm/rms_norm.h"
#include "fastpath/kernels/rope/rope.h"
#include "fastpath/kernels/router/router.h"

/* The operations of assay_kernels by value, so that a call loads one pointer. Members as there. */
typedef struct fp_operations {
    assay_matmul matmul_f32, matmul_f16, matmul_bf16, matmul_affine;
    assay_attention attention_f32, attention_bf16;
    assay_rms_norm rms_norm;
    assay_rope rope;
    assay_gate gate;
    assay_cap cap;
    assay_router router;
    assay_matmul_stored matmul_stored;
} fp_operations;

typedef struct fp_kernels {
    fp_operations op;
    const char *outside; /* name of the external table that replaces some operations; NULL: none */
    bool has_stored;     /* the external table has matmul_stored */
    fp_narrow_bf16_fn *narrow_bf16;
    fp_narrow_i8_fn *narrow_i8;
    fp_convolve_fn *convolve;
    fp_delta_fn *delta;
    fp_sigmoid_gate_fn *sigmoid_gate;
} fp_kernels;

fp_kernels fp_kernels_pick(fp_isa isa);

/* Replaces fastpath's operations by those of an external table. An operation is replaced with all of its
 * functions: one that the table lacks is then missing. Fails with ASSAY_EINVAL if the table has another
 * ABI, or an operation lacks a required member; *own is unspecified then. given->name is borrowed for as
 * long as the kernels are used; all else is copied. */
assay_status fp_kernels_replace(fp_kernels *own, const assay_kernels *given, assay_error *err);

/* The attention over keys and values of float, or of bfloat16 if is_narrow: then with weights of bfloat16
 * where the operation has that. */
static inline assay_attention_fn *fp_attention_of(const fp_operations *op, bool is_narrow)
{
    if (!is_narrow) return op->attention_f32.f32;
    return op->attention_bf16.bf16_shares ? op->attention_bf16.bf16_shares : op->attention_bf16.f32;
}

/* The table of the kernel ABI with these operations; borrows all of its arguments. */
assay_kernels fp_kernels_table(const fp_operations *op, const char *name, const char *version);

#endif
