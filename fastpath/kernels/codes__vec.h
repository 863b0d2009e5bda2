/* Products of rows of codes with affine groups: integers until a group is summed. Included after
 * groups__vec.h, which says what a group's part of an output is; here Σ x (code - o) = x_scale (Σ x_code code
 * - o Σ x_code).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_CODES_VEC_H
#define FASTPATH_KERNELS_CODES_VEC_H

#include "fastpath/kernels/groups__vec.h"

/* Four inputs of a row, in every lane. */
ALWAYS vec_bits x_quad(const int8_t *x, size_t q)
{
    uint32_t bits;
    __builtin_memcpy(&bits, x + 4 * q, sizeof bits);
    return vec_bits_of(bits);
}

ALWAYS void dot_codes(vec_bits sum[VECS], const int8_t *x, const char *codes, size_t n_in, size_t bits)
{
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[v] = vec_bits_of(0);
    for (size_t base = 0; base < n_in / 4; base += 8) FP_UNROLL(8)
    for (size_t q = base; q < base + 8; q++) {
        const vec_bits factor = x_quad(x, q);
        FP_UNROLL(4)
        for (size_t v = 0; v < VECS; v++)
            sum[v] = vec_bytes_dot(sum[v], quad_at(codes, q, v, bits, n_in), factor);
    }
}

/* Of one row. */
static void dot_group(vec_bits sum[VECS], const int8_t *x, const char *codes, size_t n_in, size_t bits)
{
    switch (bits) {
    case 2: dot_codes(sum, x, codes, n_in, 2); break;
    case 3: dot_codes(sum, x, codes, n_in, 3); break;
    case 4: dot_codes(sum, x, codes, n_in, 4); break;
    case 5: dot_codes(sum, x, codes, n_in, 5); break;
    case 6: dot_codes(sum, x, codes, n_in, 6); break;
    default: dot_codes(sum, x, codes, n_in, 8);
    }
}

ALWAYS void spread_codes(uint32_t *quads, const char *codes, size_t n_in, size_t bits)
{
    for (size_t base = 0; base < n_in / 4; base += 8) FP_UNROLL(8)
    for (size_t q = base; q < base + 8; q++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++)
        vec_bits_store(quads + q * FP_PANEL + v * VEC, quad_at(codes, q, v, bits, n_in));
}

/* A group's codes in bytes: [n_in / 4, FP_PANEL, 4]. */
static void spread_group(uint32_t *quads, const char *codes, size_t n_in, size_t bits)
{
    switch (bits) {
    case 2: spread_codes(quads, codes, n_in, 2); break;
    case 3: spread_codes(quads, codes, n_in, 3); break;
    case 4: spread_codes(quads, codes, n_in, 4); break;
    case 5: spread_codes(quads, codes, n_in, 5); break;
    case 6: spread_codes(quads, codes, n_in, 6); break;
    default: spread_codes(quads, codes, n_in, 8);
    }
}

ALWAYS void dot_block(vec_bits sum[][VECS], const int8_t *x, size_t ld_x, const uint32_t *quads, size_t n_in,
                      size_t n_rows)
{
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_bits_of(0);
    for (size_t q = 0; q < n_in / 4; q++) {
        vec_bits w[VECS];
        FP_UNROLL(4)
        for (size_t v = 0; v < VECS; v++) w[v] = vec_bits_load(quads + q * FP_PANEL + v * VEC);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) {
            const vec_bits factor = x_quad(x + r * ld_x, q);
            FP_UNROLL(4)
            for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_bytes_dot(sum[r][v], w[v], factor);
        }
    }
}

/* Row r of the block is row `row` of x. */
ALWAYS void join_dots(const block *b, size_t r, const group *g, const vec_bits sum[VECS],
                      const assay_product *p, size_t row, size_t index)
{
    const size_t at = row * (p->w->n_in / p->w->group) + index;
    const uint32_t offset = (uint32_t)p->x_sum[at] << (p->w->bits - 1);
    vec dots[VECS];
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) dots[v] = vec_from_ints(vec_bits_sub(sum[v], vec_bits_of(offset)));
    join_group(b, r, g, dots, (float)p->x_sum[at], p->x_scale[at]);
}

ALWAYS void codes_of_group(const assay_product *p, size_t index, size_t row, size_t n_rows, size_t panel)
{
    _Alignas(64) uint32_t quads[PART / 4 * FP_PANEL];
    const group g = group_at(p->w, panel, index);
    const int8_t *x = (const int8_t *)p->x + row * p->ld_x + index * p->w->group;
    const size_t n_in = p->w->group;
    block b = panel_block(p, panel);
    vec_bits sum[ROWS][VECS];
    size_t r = 0;
    b.y += row * p->ld_y;
    b.first = index == 0;
    if (p->n_rows == 1) {
        dot_group(sum[0], x, g.codes, n_in, p->w->bits);
        join_dots(&b, 0, &g, sum[0], p, row, index);
        return;
    }
    spread_group(quads, g.codes, n_in, p->w->bits);
    for (; r + ROWS <= n_rows; r += ROWS) {
        dot_block(sum, x + r * p->ld_x, p->ld_x, quads, n_in, ROWS);
        FP_UNROLL(8)
        for (size_t k = 0; k < ROWS; k++) join_dots(&b, r + k, &g, sum[k], p, row + r + k, index);
    }
    for (; r < n_rows; r++) {
        dot_block(sum, x + r * p->ld_x, p->ld_x, quads, n_in, 1);
        join_dots(&b, r, &g, sum[0], p, row + r, index);
    }
}

/* Rows of codes. */
ALWAYS void group_codes(const assay_product *p)
{
    const size_t n_groups = p->w->n_in / p->w->group, end = p->first_panel + p->n_panels;
    for (size_t r = 0; r < p->n_rows; r += CHUNK) {
        const size_t n_rows = p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK;
        for (size_t k = p->first_panel; k < end; k++)
            for (size_t i = 0; i < n_groups; i++) codes_of_group(p, i, r, n_rows, k);
    }
}

#endif
