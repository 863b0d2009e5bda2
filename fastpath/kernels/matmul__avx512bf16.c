/* Rows of bfloat16 by VDPBF16PS, which multiplies pairs and adds both products to a float (denormals count as
 * 0); rows of codes by VPDPBUSD, which does so with four bytes. Blocks as in matmul__vec.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec__avx512.h"

enum { ROWS = 8 };

#include "fastpath/kernels/matmul__vec.h"

/* Two inputs of a row in every lane. */
ALWAYS vec_bits x_pair(const uint16_t *x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return vec_bits_of(bits);
}

/* factor: of each row. */
ALWAYS void add_pair(vec sum[][VECS], const vec_bits factor[], const uint32_t *weights, size_t n_rows)
{
    vec_bits w[VECS];
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) w[v] = vec_bits_load(weights + v * VEC);
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++)
        sum[r][v] = _mm512_dpbf16_ps(sum[r][v], (__m512bh)factor[r], (__m512bh)w[v]);
}

/* weights: [n_in / 2 rounded up, FP_PANEL] pairs; the last of an odd n_in is one input and 0. */
ALWAYS void sum_pairs(vec sum[][VECS], const uint16_t *x, size_t ld_x, const uint32_t *weights, size_t n_in,
                      size_t n_rows)
{
    vec_bits factor[ROWS];
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_of(0);
    for (size_t i = 0; i < n_in / 2; i++) {
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) factor[r] = x_pair(x + r * ld_x + 2 * i);
        add_pair(sum, factor, weights + i * FP_PANEL, n_rows);
    }
    if (n_in % 2) {
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) factor[r] = vec_bits_of(x[r * ld_x + n_in - 1]);
        add_pair(sum, factor, weights + n_in / 2 * FP_PANEL, n_rows);
    }
}

/* A part of some rows; b->weights: pairs. */
ALWAYS void add_pairs(const block *b, const uint16_t *x, size_t ld_x, size_t n_rows)
{
    vec sum[ROWS][VECS];
    sum_pairs(sum, x, ld_x, b->weights, b->n_in, n_rows);
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) {
        const size_t n = lanes_of(b->n_out, v);
        float *y = b->y + r * b->ld_y + v * VEC;
        vec_store(y, b->first ? sum[r][v] : vec_add(vec_load(y, n), sum[r][v]), n);
    }
}

/* Any number of rows: ROWS at a time, then four, then one by one. */
static void add_pair_rows(block b, const uint16_t *x, size_t ld_x, size_t n_rows)
{
    while (n_rows > 0) {
        const size_t n = n_rows >= ROWS ? ROWS : n_rows >= 4 ? 4 : 1;
        if (n == ROWS) add_pairs(&b, x, ld_x, ROWS);
        else if (n == 4) add_pairs(&b, x, ld_x, 4);
        else add_pairs(&b, x, ld_x, 1);
        b.y += n * b.ld_y;
        x += n * ld_x;
        n_rows -= n;
    }
}

/* Inputs i … i + PART - 1 of panel k. */
ALWAYS void pair_part(const assay_product *p, size_t row, size_t n_rows, size_t k, size_t i)
{
    block b = panel_block(p, k);
    b.y += row * p->ld_y;
    b.n_in = p->w->n_in - i < PART ? p->w->n_in - i : PART;
    b.first = i == 0;
    b.weights = weights_of(p->w, k, i);
    add_pair_rows(b, (const uint16_t *)p->x + row * p->ld_x + i, p->ld_x, n_rows);
}

/* Many rows share a part of the weights while it is in a cache; few rows stream a panel from end to end. */
void fp_matmul_bf16_bf16__avx512bf16(const assay_product *p)
{
    const size_t end = p->first_panel + p->n_panels, n_in = p->w->n_in;
    if (p->n_rows <= ROWS) {
        for (size_t k = p->first_panel; k < end; k++)
            for (size_t i = 0; i < n_in; i += PART) pair_part(p, 0, p->n_rows, k, i);
        return;
    }
    for (size_t r = 0; r < p->n_rows; r += CHUNK)
        for (size_t i = 0; i < n_in; i += PART)
            for (size_t k = p->first_panel; k < end; k++)
                pair_part(p, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK, k, i);
}
