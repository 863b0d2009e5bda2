/* Rows of activations in published types of 8-bit codes. As those of narrow.h they are exactly defined.
 *
 * Sources: ggml 0.25.3, ggml/src/ggml-cpu/arch/x86/quants.c (Q8_0, Q8_1: half to even) and
 * ggml/src/ggml-quants.c (Q8_K); compressed-tensors 0.20.1, quantization/lifecycle/forward_helpers.py (int8
 * per token).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_NARROW_CODED_H
#define FASTPATH_KERNELS_NARROW_CODED_H

#include <stdbool.h>
#include <stddef.h>

#include <assay/engine.h>

#include "fastpath/kernels/narrow/narrow.h"

/* One row. codes: [n]. scale, sum, excess: [blocks]. sum: of a block's codes. excess, of types with a stored
 * sum: what that sum is more than scale * sum; else 0. x: [n], n a multiple of the block. A block with NaN or
 * infinity has scale NaN or infinity. */
typedef void fp_coded_fn(int8_t *codes, float *scale, int32_t *sum, float *excess, const float *x, size_t n,
                         fp_narrow_i8_fn *narrow);

typedef struct fp_coded {
    const char *name;
    size_t block;         /* inputs with one scale; 0: the whole row */
    bool has_sum;         /* a block has its sum, in float16, which products with minimums take */
    bool has_lowest;      /* codes may be -128 */
    assay_dtype rounded;  /* ASSAY_F16, ASSAY_BF16: numbers of that type, without codes */
    fp_coded_fn *convert; /* NULL with `rounded` */
} fp_coded;

/* The type of this name, of "q8_0", "q8_1", "q8_K", "int8-token", "f16", "bf16"; NULL: there is none. */
const fp_coded *fp_coded_find(const char *name);

/* x in float16 or bfloat16, as float. y: [n], may be x. */
void fp_coded_round(float *y, const float *x, size_t n, assay_dtype dtype);

#endif
