/* Blocks of eight rows by one panel: sixteen registers of sums, each fed by one multiply-add for every input
 * in turn, so that its bits do not know of the block around it. Sums are made over PART inputs at a time and
 * then added up, which keeps rounding errors from growing with n_in; meanwhile they wait in y.
 *
 * Where there are many rows, the weights of a part, widened, stay in the first or second cache and serve
 * CHUNK rows, whose part of x stays in the second. Where there are few, each panel is read once from end to
 * end, as memory likes it: the processor's own prefetching then needs no help (measured: software prefetch
 * was never faster).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "fastpath/kernels/matmul.h"

enum { ROWS = 8, LANES = 16, PART = 128, CHUNK = 128 };

#define ALWAYS static inline __attribute__((always_inline))

/* Where a block of sums lies, and what feeds it. */
typedef struct block {
    float *y;
    const float *x;
    size_t ld_y, ld_x;
    const void *weights; /* [n_in, FP_PANEL] */
    size_t n_in;
    __mmask16 mask[2]; /* which of the panel's outputs exist */
    bool first;        /* the sums are what y becomes; otherwise they are added to it */
} block;

ALWAYS __m512 weights_at(const void *weights, size_t at, assay_dtype dtype)
{
    if (dtype == ASSAY_F32) return _mm512_load_ps((const float *)weights + at);
    __m256i narrow = _mm256_load_si256((const __m256i *)((const uint16_t *)weights + at));
    if (dtype == ASSAY_F16) return _mm512_cvtph_ps(narrow);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(narrow), 16));
}

/* n_rows is a constant wherever this is called: the sums stay in registers. */
ALWAYS void add_block(const block *b, size_t n_rows, assay_dtype dtype)
{
    __m512 low[ROWS], high[ROWS];
#pragma GCC unroll 8
    for (size_t r = 0; r < n_rows; r++) low[r] = high[r] = _mm512_setzero_ps();
    const float *x = b->x;
    const size_t ld_x = b->ld_x, n_in = b->n_in;
    for (size_t i = 0; i < n_in; i++) {
        const __m512 w_low = weights_at(b->weights, i * FP_PANEL, dtype),
                     w_high = weights_at(b->weights, i * FP_PANEL + 16, dtype);
#pragma GCC unroll 8
        for (size_t r = 0; r < n_rows; r++) {
            const __m512 factor = _mm512_set1_ps(x[r * ld_x + i]);
            low[r] = _mm512_fmadd_ps(factor, w_low, low[r]);
            high[r] = _mm512_fmadd_ps(factor, w_high, high[r]);
        }
    }
#pragma GCC unroll 8
    for (size_t r = 0; r < n_rows; r++) {
        float *y = b->y + r * b->ld_y;
        if (!b->first) {
            low[r] = _mm512_add_ps(_mm512_maskz_loadu_ps(b->mask[0], y), low[r]);
            high[r] = _mm512_add_ps(_mm512_maskz_loadu_ps(b->mask[1], y + 16), high[r]);
        }
        _mm512_mask_storeu_ps(y, b->mask[0], low[r]);
        _mm512_mask_storeu_ps(y + 16, b->mask[1], high[r]);
    }
}

/* 1 … ROWS rows. */
ALWAYS void add_rows(const block *b, size_t n_rows, assay_dtype dtype)
{
    switch (n_rows) {
    case 1: add_block(b, 1, dtype); break;
    case 2: add_block(b, 2, dtype); break;
    case 3: add_block(b, 3, dtype); break;
    case 4: add_block(b, 4, dtype); break;
    case 5: add_block(b, 5, dtype); break;
    case 6: add_block(b, 6, dtype); break;
    case 7: add_block(b, 7, dtype); break;
    default: add_block(b, ROWS, dtype);
    }
}

/* The first n of 16, at most all. */
ALWAYS __mmask16 first_lanes(size_t n)
{
    return (__mmask16)(n < 16 ? (1U << n) - 1 : 0xFFFFU);
}

ALWAYS block panel_block(float *y, size_t ld_y, const float *x, size_t ld_x, const fp_matrix *w, size_t panel)
{
    size_t n_out = w->n_out - panel * FP_PANEL;
    return (block){.y = y + panel * FP_PANEL,
                   .x = x,
                   .ld_y = ld_y,
                   .ld_x = ld_x,
                   .mask = {first_lanes(n_out), first_lanes(n_out > 16 ? n_out - 16 : 0)},
                   .first = true};
}

ALWAYS void widen_lanes(float *to, const void *weights, size_t at, assay_dtype dtype)
{
    _mm512_store_ps(to, weights_at(weights, at, dtype));
}

#include "fastpath/kernels/matmul__vec.h"

void fp_matmul_f32__avx512(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                           const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels, ASSAY_F32);
}

void fp_matmul_f16__avx512(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                           const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels, ASSAY_F16);
}

void fp_matmul_bf16__avx512(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                            const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels, ASSAY_BF16);
}
