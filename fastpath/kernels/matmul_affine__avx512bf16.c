/* Affine groups by rows of bfloat16 (VDPBF16PS) and by rows of codes (VPDPBUSD). What a group's part of an
 * output is, groups__vec.h says; here, too, sums stay in registers while some groups of a panel go by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec__avx512.h"

enum { ROWS = 8, CODE_ROWS = 6 };

#include "fastpath/kernels/codes__vec.h"
#include "fastpath/kernels/pair_groups__avx512.h"

ALWAYS vec_bits x_pair(const uint16_t *x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, x, sizeof bits);
    return vec_bits_of(bits);
}

ALWAYS vec add_products(vec sum, vec_bits x, vec_bits w)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)w);
}

ALWAYS void sum_row_codes(vec sum[VECS], const uint16_t *x, const char *codes, size_t n_in, size_t bits)
{
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[v] = vec_of(0);
    for (size_t base = 0; base < n_in / 4; base += 8) FP_UNROLL(8)
    for (size_t q = base; q < base + 8; q++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) {
        const vec_bits quad = quad_at(codes, q, v, bits, n_in);
        sum[v] = add_products(sum[v], x_pair(x + 4 * q), code_pair(quad, 0, bits));
        sum[v] = add_products(sum[v], x_pair(x + 4 * q + 2), code_pair(quad, 1, bits));
    }
}

static void sum_row_group(vec sum[VECS], const uint16_t *x, const char *codes, size_t n_in, size_t bits)
{
    switch (bits) {
    case 2: sum_row_codes(sum, x, codes, n_in, 2); break;
    case 3: sum_row_codes(sum, x, codes, n_in, 3); break;
    case 4: sum_row_codes(sum, x, codes, n_in, 4); break;
    case 5: sum_row_codes(sum, x, codes, n_in, 5); break;
    case 6: sum_row_codes(sum, x, codes, n_in, 6); break;
    default: sum_row_codes(sum, x, codes, n_in, 8);
    }
}

/* One row, whose codes stream in. */
static void pairs_of_one_row(const assay_product *p, size_t panel)
{
    const block b = panel_block(p, panel);
    const size_t n_in = p->w->group;
    vec y[VECS];
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) y[v] = vec_of(0);
    for (size_t i = 0; i < p->w->n_in / n_in; i++) {
        const uint16_t *x = (const uint16_t *)p->x + i * n_in;
        const group g = group_at(p->w, panel, i);
        vec sum[VECS];
        sum_row_group(sum, x, g.codes, n_in, p->w->bits);
        join_sums(y, sum, g.scale, g.bias, sum_of_x(x, n_in));
    }
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) vec_store(b.y + v * VEC, y[v], lanes_of(b.n_out, v));
}

/* One group of a block of rows. x: from its first input on. */
ALWAYS void sum_pair_block(vec sum[][VECS], const uint16_t *x, size_t ld_x, const uint32_t *pairs,
                           size_t n_in, size_t n_rows)
{
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_of(0);
    for (size_t i = 0; i < n_in / 2; i++) {
        vec_bits w[VECS];
        FP_UNROLL(4)
        for (size_t v = 0; v < VECS; v++) w[v] = vec_bits_load(pairs + i * FP_PANEL + v * VEC);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) {
            const vec_bits factor = x_pair(x + r * ld_x + 2 * i);
            FP_UNROLL(4)
            for (size_t v = 0; v < VECS; v++) sum[r][v] = add_products(sum[r][v], factor, w[v]);
        }
    }
}

/* Rows row … row + n_rows - 1, a constant, of which `at` is the first in the chunk. */
ALWAYS void add_pairs(const assay_product *p, const pair_span *s, size_t panel, size_t row, size_t at,
                      size_t n_rows)
{
    const size_t n_in = p->w->group;
    const uint16_t *x = (const uint16_t *)p->x + row * p->ld_x + s->first * n_in;
    const block b = panel_block(p, panel);
    vec y[CODE_ROWS][VECS], sum[CODE_ROWS][VECS];
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++)
        y[r][v] = s->first ? vec_load(b.y + (row + r) * b.ld_y + v * VEC, lanes_of(b.n_out, v)) : vec_of(0);
    for (size_t i = 0; i < s->n; i++) {
        sum_pair_block(sum, x + i * n_in, p->ld_x, s->pairs + i * (n_in / 2) * FP_PANEL, n_in, n_rows);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++)
            join_sums(y[r], sum[r], s->scale[i], s->bias[i], s->x_sum[at + r][i]);
    }
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++)
        vec_store(b.y + (row + r) * b.ld_y + v * VEC, y[r][v], lanes_of(b.n_out, v));
}

/* A span of all panels, for a chunk of rows. */
static void pairs_of_chunk(const assay_product *p, pair_span *s, size_t row, size_t n_rows)
{
    sum_chunk(s, p, row, n_rows);
    for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++) {
        size_t r = 0;
        open_pairs(s, p, k);
        for (; r + CODE_ROWS <= n_rows; r += CODE_ROWS) add_pairs(p, s, k, row + r, r, CODE_ROWS);
        for (; r + 2 <= n_rows; r += 2) add_pairs(p, s, k, row + r, r, 2);
        for (; r < n_rows; r++) add_pairs(p, s, k, row + r, r, 1);
    }
}

void fp_matmul_bf16_affine__avx512bf16(const assay_product *p)
{
    const size_t n_groups = p->w->n_in / p->w->group;
    pair_span s;
    for (size_t k = 0; p->n_rows == 1 && k < p->n_panels; k++) pairs_of_one_row(p, p->first_panel + k);
    for (size_t r = 0; p->n_rows > 1 && r < p->n_rows; r += CHUNK)
        for (s.first = 0; s.first < n_groups; s.first += s.n) {
            s.n = n_groups - s.first < SPAN / p->w->group ? n_groups - s.first : SPAN / p->w->group;
            pairs_of_chunk(p, &s, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK);
        }
}

void fp_matmul_i8_affine__avx512bf16(const assay_product *p)
{
    group_codes(p);
}
