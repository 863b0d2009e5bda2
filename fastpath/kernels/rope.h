/* Rotary position embedding (Su et al. 2021) by tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ROPE_H
#define FASTPATH_KERNELS_ROPE_H

#include "fastpath/kernels/isa.h"

/* Rotates the leading dim elements of every head of one position in place; the others stay.
 * x:            [n_heads, head_dim]. dim: even, 2 … head_dim.
 * cosine, sine: [dim / 2], attention scaling included; must not overlap x.
 * adjacent:     pairs are 2i and 2i + 1; otherwise i and i + dim / 2.
 * Of a pair (a, b): a cos - b sin, b cos + a sin. The bits of a head do not depend on n_heads. */
typedef void fp_rope_fn(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                        const float *cosine, const float *sine);

typedef struct fp_rope_variant {
    fp_isa isa;
    fp_rope_fn *f32;
} fp_rope_variant;

/* Every variant that this build has, best first; the last one is scalar. */
extern const fp_rope_variant FP_ROPE[];
extern const size_t FP_N_ROPE;

/* The best variant that needs no more than isa. */
const fp_rope_variant *fp_rope_pick(fp_isa isa);

fp_rope_fn fp_rope_f32__scalar, fp_rope_f32__avx2, fp_rope_f32__avx512;

#endif
