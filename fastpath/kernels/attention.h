/* Softmax attention of one position over pages of keys and values.
 *
 * A page holds FP_PAGE positions of one key/value head: positions n * FP_PAGE … n * FP_PAGE + FP_PAGE - 1 of
 * the sample, never any others, so that the order of additions follows from positions alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ATTENTION_H
#define FASTPATH_KERNELS_ATTENTION_H

#include "fastpath/kernels/isa.h"

#define FP_PAGE ((size_t)64)

/* out = softmax(scale q Kᵀ) V over keys first … last, for the n_heads query heads that read one key/value
 * head.
 * out, q: [n_heads, head_dim], any alignment of float; out must not overlap anything else.
 * k:      pages of [head_dim, FP_PAGE] (a key stands in a column); v: pages of [FP_PAGE, head_dim]; both
 *         aligned to FP_ALIGNMENT. k[0] and v[0] hold the page of position first, and so on to that of last.
 * first, last: positions counted from the first of page 0: first < FP_PAGE, first <= last.
 * What a page holds outside first … last is any bits, NaN included, and must change nothing.
 *
 * The softmax is made on the way: for each page in turn, the largest score so far is subtracted, and what was
 * summed before is scaled by exp(old largest - new largest). The bits of a head depend on q of that head,
 * first, last and the visible keys and values alone, not on n_heads. */
typedef void fp_attention_fn(float *out, const float *q, size_t n_heads, size_t head_dim,
                             const float *const *k, const float *const *v, size_t first, size_t last,
                             float scale);

typedef struct fp_attention_variant {
    fp_isa isa;
    fp_attention_fn *f32;
} fp_attention_variant;

/* Every variant that this build has, best first; the last one is scalar. */
extern const fp_attention_variant FP_ATTENTION[];
extern const size_t FP_N_ATTENTION;

/* The best variant that needs no more than isa. */
const fp_attention_variant *fp_attention_pick(fp_isa isa);

fp_attention_fn fp_attention_f32__scalar, fp_attention_f32__avx2, fp_attention_f32__avx512;

#endif
