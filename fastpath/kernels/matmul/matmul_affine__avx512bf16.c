/* Affine groups by rows of bfloat16 (VDPBF16PS) and by rows of codes (VPDPBUSD). What a group's part of an
 * output is, groups__vec.h says; here, too, sums stay in registers while some groups of a panel go by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

enum { ROWS = 8, CODE_ROWS = 6, FEW_ROWS = 8, STREAMED_ROWS = 32 };

#include "fastpath/kernels/matmul/codes__vec.h"
#include "fastpath/kernels/matmul/pair_groups__avx512.h"
#include "fastpath/kernels/matmul/pairs__avx512bf16.h"

ALWAYS void sum_row_codes(vec sum[VECS], const uint16_t *x, const char *codes, size_t n_in, size_t bits)
{
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[v] = vec_of(0);
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) {
        const vec_bits quad = quad_at(codes, q, v, bits, n_in);
        sum[v] = add_products(sum[v], x_pair(x + 4 * q), code_pair(quad, 0, bits));
        sum[v] = add_products(sum[v], x_pair(x + 4 * q + 2), code_pair(quad, 1, bits));
    }
}

static void sum_row_group(vec sum[VECS], const uint16_t *x, const char *codes, size_t n_in, size_t bits)
{
    FP_WITH_BITS(bits, sum_row_codes, sum, x, codes, n_in);
}

/* One row, whose codes stream in. */
static void pairs_of_one_row(const assay_product *p, size_t panel)
{
    const block b = panel_block(p, panel, 0);
    const size_t n_in = p->w->group;
    vec y[VECS];
    take_y(y, &b, 0);
    for (size_t i = 0; i < p->w->n_in / n_in; i++) {
        const uint16_t *x = (const uint16_t *)p->x + i * n_in;
        const group g = group_at(p->w, panel, i);
        vec sum[VECS];
        sum_row_group(sum, x, g.codes, n_in, p->w->bits);
        join_sums(y, sum, &g, sum_of_x(x, n_in));
    }
    put_y(&b, 0, y);
}

/* Rows row … row + n_rows - 1, a constant, of which `at` is the first in the chunk. */
ALWAYS void add_pairs(const assay_product *p, const pair_span *s, size_t panel, size_t row, size_t at,
                      size_t n_rows)
{
    const size_t n_in = p->w->group;
    const uint16_t *x = (const uint16_t *)p->x + row * p->ld_x + s->first * n_in;
    block b = panel_block(p, panel, row);
    vec y[CODE_ROWS][VECS], sum[CODE_ROWS][VECS];
    b.first = s->first == 0;
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) take_y(y[r], &b, r);
    for (size_t i = 0; i < s->n; i++) {
        sum_pairs(sum, x + i * n_in, p->ld_x, s->pairs + i * (n_in / 2) * FP_PANEL, n_in, n_rows, n_rows);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) join_sums(y[r], sum[r], &s->groups[i], s->x_sum[at + r][i]);
    }
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) put_y(&b, r, y[r]);
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
    if (fp_has_table(p->w->dtype)) {
        groups(p, ASSAY_BF16);
        return;
    }
    for (size_t k = 0; p->n_rows == 1 && k < p->n_panels; k++) pairs_of_one_row(p, p->first_panel + k);
    for (size_t r = 0; p->n_rows > 1 && r < p->n_rows; r += CHUNK)
        for (s.first = 0; s.first < n_groups; s.first += s.n) {
            s.n = span_groups(p->w, s.first);
            pairs_of_chunk(p, &s, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK);
        }
}

void fp_matmul_i8_affine__avx512bf16(const assay_product *p)
{
    group_codes(p);
}
