/* Blocks of three rows by one panel: twelve registers of sums, each fed by one multiply-add for every input
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
#include <string.h>

#include "fastpath/kernels/matmul.h"

enum { ROWS = 3, LANES = 8, VECTORS = 4, PART = 128, CHUNK = 128 };

#define ALWAYS static inline __attribute__((always_inline))

/* Where a block of sums lies, and what feeds it. */
typedef struct block {
    float *y;
    const float *x;
    size_t ld_y, ld_x;
    const void *weights; /* [n_in, FP_PANEL] */
    size_t n_in;
    size_t n_out; /* how many of the panel's outputs exist */
    bool first;   /* the sums are what y becomes; otherwise they are added to it */
} block;

ALWAYS __m256 weights_at(const void *weights, size_t at, assay_dtype dtype)
{
    if (dtype == ASSAY_F32) return _mm256_load_ps((const float *)weights + at);
    __m128i narrow = _mm_load_si128((const __m128i *)((const uint16_t *)weights + at));
    if (dtype == ASSAY_F16) return _mm256_cvtph_ps(narrow);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(narrow), 16));
}

/* n_rows is a constant wherever this is called: the sums stay in registers. */
ALWAYS void add_block(const block *b, size_t n_rows, assay_dtype dtype)
{
    __m256 sum[ROWS][VECTORS];
#pragma GCC unroll 3
    for (size_t r = 0; r < n_rows; r++)
#pragma GCC unroll 4
        for (size_t v = 0; v < VECTORS; v++) sum[r][v] = _mm256_setzero_ps();
    const float *x = b->x;
    const size_t ld_x = b->ld_x, n_in = b->n_in;
    for (size_t i = 0; i < n_in; i++) {
        __m256 factor[ROWS];
#pragma GCC unroll 3
        for (size_t r = 0; r < n_rows; r++) factor[r] = _mm256_set1_ps(x[r * ld_x + i]);
#pragma GCC unroll 4
        for (size_t v = 0; v < VECTORS; v++) {
            const __m256 weights = weights_at(b->weights, i * FP_PANEL + 8 * v, dtype);
#pragma GCC unroll 3
            for (size_t r = 0; r < n_rows; r++) sum[r][v] = _mm256_fmadd_ps(factor[r], weights, sum[r][v]);
        }
    }
#pragma GCC unroll 3
    for (size_t r = 0; r < n_rows; r++)
#pragma GCC unroll 4
        for (size_t v = 0; v < VECTORS; v++) {
            float *y = b->y + r * b->ld_y + 8 * v;
            _mm256_storeu_ps(y, b->first ? sum[r][v] : _mm256_add_ps(_mm256_loadu_ps(y), sum[r][v]));
        }
}

/* 1 … ROWS rows. Where outputs are missing, the block works on a copy that has them. */
ALWAYS void add_rows(const block *b, size_t n_rows, assay_dtype dtype)
{
    float whole[ROWS * FP_PANEL] = {0};
    block part = *b;
    if (b->n_out < FP_PANEL) {
        part.y = whole;
        part.ld_y = FP_PANEL;
        for (size_t r = 0; r < n_rows && !b->first; r++)
            memcpy(whole + r * FP_PANEL, b->y + r * b->ld_y, b->n_out * sizeof *whole);
    }
    switch (n_rows) {
    case 1: add_block(&part, 1, dtype); break;
    case 2: add_block(&part, 2, dtype); break;
    default: add_block(&part, ROWS, dtype);
    }
    for (size_t r = 0; r < n_rows && b->n_out < FP_PANEL; r++)
        memcpy(b->y + r * b->ld_y, whole + r * FP_PANEL, b->n_out * sizeof *whole);
}

ALWAYS block panel_block(float *y, size_t ld_y, const float *x, size_t ld_x, const fp_matrix *w, size_t panel)
{
    size_t n_out = w->n_out - panel * FP_PANEL;
    return (block){.y = y + panel * FP_PANEL,
                   .x = x,
                   .ld_y = ld_y,
                   .ld_x = ld_x,
                   .n_out = n_out < FP_PANEL ? n_out : FP_PANEL,
                   .first = true};
}

ALWAYS void widen_lanes(float *to, const void *weights, size_t at, assay_dtype dtype)
{
    _mm256_store_ps(to, weights_at(weights, at, dtype));
}

#include "fastpath/kernels/matmul__vec.h"

void fp_matmul_f32__avx2(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                         const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels, ASSAY_F32);
}

void fp_matmul_f16__avx2(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                         const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels, ASSAY_F16);
}

void fp_matmul_bf16__avx2(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                          const fp_matrix *w, size_t first_panel, size_t n_panels)
{
    matmul(y, ld_y, x, ld_x, n_rows, w, first_panel, n_panels, ASSAY_BF16);
}
