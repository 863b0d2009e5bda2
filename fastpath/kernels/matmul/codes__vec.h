/* Products of rows of codes with affine groups: integers until a group is summed. Included after
 * groups__vec.h, which says what a group's part of an output is; here Σ x (code - o) = x_scale (Σ x_code code
 * - o Σ x_code).
 *
 * Up to STREAMED_ROWS rows go through a panel's codes in blocks of at most FEW_ROWS, which take the codes as
 * they stream in from memory: loads and products overlap. More rows share codes that are spread into bytes
 * first, in blocks of CODE_ROWS. All three are what was measured to be fastest on a set; matmul__<isa>.c
 * defines them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_CODES_VEC_H
#define FASTPATH_KERNELS_CODES_VEC_H

#include "fastpath/kernels/matmul/groups__vec.h"

enum { SPAN = 1024 }; /* number of a panel's inputs that are unpacked to bytes at a time */

/* Four inputs of a row, broadcast to every lane. */
ALWAYS vec_bits x_quad(const int8_t *x, size_t q)
{
    uint32_t bits;
    __builtin_memcpy(&bits, x + 4 * q, sizeof bits);
    return vec_bits_of(bits);
}

ALWAYS void spread_codes(uint32_t *quads, const char *codes, size_t n_in, size_t bits)
{
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++)
        vec_bits_store(quads + q * FP_PANEL + v * VEC, quad_at(codes, q, v, bits, n_in));
}

/* Unpacks a group's codes to bytes: [n_in / 4, FP_PANEL, 4]. */
static void spread_group(uint32_t *quads, const char *codes, size_t n_in, size_t bits)
{
    FP_WITH_BITS(bits, spread_codes, quads, codes, n_in);
}

/* sum: [rows][VECS], initially -o Σ x_code of the group; becomes Σ x_code (code - o). */
ALWAYS void dot_block(vec_bits sum[][VECS], const int8_t *x, size_t ld_x, const uint32_t *quads, size_t n_in,
                      size_t n_rows)
{
    for (size_t q = 0; q < n_in / 4; q++) {
        vec_bits w[VECS];
        FP_UNROLL(8)
        for (size_t v = 0; v < VECS; v++) w[v] = vec_bits_load(quads + q * FP_PANEL + v * VEC);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) {
            const vec_bits factor = x_quad(x + r * ld_x, q);
            FP_UNROLL(8)
            for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_bytes_dot(sum[r][v], w[v], factor);
        }
    }
}

/* y += x_scale (scale * dot + bias * x_sum) for one row. */
ALWAYS void join_dots(vec y[VECS], const vec_bits dot[VECS], const group *g, float x_scale, int32_t x_sum)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        y[v] = vec_fma(g->bias[v], vec_of(x_scale * (float)x_sum), y[v]);
        y[v] = vec_fma(vec_mul(g->scale[v], vec_of(x_scale)), vec_from_ints(dot[v]), y[v]);
    }
}

/* Groups of some inputs of one panel, with their codes unpacked to bytes. */
typedef struct span {
    size_t first, n; /* groups */
    group groups[SPAN / FP_GROUP_MIN];
    _Alignas(64) uint32_t quads[SPAN / 4 * FP_PANEL];
} span;

/* The number of groups from `first` on that fit a span. */
ALWAYS size_t span_groups(const assay_matrix *w, size_t first)
{
    const size_t left = w->n_in / w->group - first;
    return left < SPAN / w->group ? left : SPAN / w->group;
}

static void open_span(span *s, const assay_product *p, size_t panel, size_t first)
{
    s->first = first;
    s->n = span_groups(p->w, first);
    for (size_t i = 0; i < s->n; i++) {
        s->groups[i] = group_at(p->w, panel, first + i);
        spread_group(s->quads + i * (p->w->group / 4) * FP_PANEL, s->groups[i].codes, p->w->group,
                     p->w->bits);
    }
}

/* Adds a span for rows row … row + n_rows - 1 while y stays in registers. n_rows: a compile-time
 * constant. */
ALWAYS void add_span(const assay_product *p, const span *s, size_t panel, size_t row, size_t n_rows)
{
    const size_t n_in = p->w->group, n_groups = p->w->n_in / n_in;
    const int8_t *x = (const int8_t *)p->x + row * p->ld_x + s->first * n_in;
    block b = panel_block(p, panel, row);
    vec y[CODE_ROWS][VECS];
    vec_bits dot[CODE_ROWS][VECS];
    b.first = s->first == 0;
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) take_y(y[r], &b, r);
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = row * n_groups + s->first + i;
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) FP_UNROLL(8)
        for (size_t v = 0; v < VECS; v++)
            dot[r][v] = vec_bits_of(0U - ((uint32_t)p->x_sum[at + r * n_groups] << (p->w->bits - 1)));
        dot_block(dot, x + i * n_in, p->ld_x, s->quads + i * (n_in / 4) * FP_PANEL, n_in, n_rows);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++)
            join_dots(y[r], dot[r], &s->groups[i], p->x_scale[at + r * n_groups],
                      p->x_sum[at + r * n_groups]);
    }
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) put_y(&b, r, y[r]);
}

static void add_spans(const assay_product *p, size_t panel, size_t row, size_t n_rows)
{
    span s;
    for (size_t first = 0; first < p->w->n_in / p->w->group; first += s.n) {
        size_t r = 0;
        open_span(&s, p, panel, first);
        for (; r + CODE_ROWS <= n_rows; r += CODE_ROWS) add_span(p, &s, panel, row + r, CODE_ROWS);
        for (; CODE_ROWS > 2 && r + 2 <= n_rows; r += 2)
            add_span(p, &s, panel, row + r, CODE_ROWS > 2 ? 2 : 1);
        for (; r < n_rows; r++) add_span(p, &s, panel, row + r, 1);
    }
}

/* Rows of a block that are read while the weights are streamed. Missing rows repeat the last one. */
typedef struct stream {
    const int8_t *x[FEW_ROWS];
    size_t at[FEW_ROWS]; /* index of the row's first group */
} stream;

ALWAYS void open_stream(stream *s, const assay_product *p, size_t row, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r++) {
        const size_t here = row + r < p->n_rows ? row + r : p->n_rows - 1;
        s->x[r] = (const int8_t *)p->x + here * p->ld_x;
        s->at[r] = here * (p->w->n_in / p->w->group);
    }
}

/* dot: [n_rows][VECS], Σ x_code (code - o) of group i. */
ALWAYS void dot_streamed(vec_bits dot[][VECS], const assay_product *p, const stream *s, const char *codes,
                         size_t i, size_t n_rows, size_t bits)
{
    const size_t n_in = p->w->group;
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++)
        dot[r][v] = vec_bits_of(0U - ((uint32_t)p->x_sum[s->at[r] + i] << (bits - 1)));
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) {
        vec_bits w[VECS];
        FP_UNROLL(8)
        for (size_t v = 0; v < VECS; v++) w[v] = quad_at(codes, q, v, bits, n_in);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++) {
            const vec_bits factor = x_quad(s->x[r] + i * n_in, q);
            FP_UNROLL(8)
            for (size_t v = 0; v < VECS; v++) dot[r][v] = vec_bytes_dot(dot[r][v], w[v], factor);
        }
    }
}

/* n_rows, bits: compile-time constants in every call. */
ALWAYS void stream_rows(const assay_product *p, size_t panel, size_t row, size_t n_rows, size_t bits)
{
    const block b = panel_block(p, panel, row);
    stream s;
    vec y[FEW_ROWS][VECS];
    vec_bits dot[FEW_ROWS][VECS];
    open_stream(&s, p, row, n_rows);
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) y[r][v] = vec_of(0);
    for (size_t i = 0; i < p->w->n_in / p->w->group; i++) {
        const group g = group_at(p->w, panel, i);
        dot_streamed(dot, p, &s, g.codes, i, n_rows, bits);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++)
            join_dots(y[r], dot[r], &g, p->x_scale[s.at[r] + i], p->x_sum[s.at[r] + i]);
    }
    for (size_t r = 0; r < n_rows && row + r < p->n_rows; r++) put_y(&b, r, y[r]);
}

/* Computes the rows from `row` on in the smallest block that holds them, or in the largest block. */
static void stream_block(const assay_product *p, size_t panel, size_t row)
{
    enum { FOUR = FEW_ROWS < 4 ? FEW_ROWS : 4 };
    const size_t n_rows = p->n_rows - row, bits = p->w->bits;
    if (n_rows == 1) FP_WITH_BITS(bits, stream_rows, p, panel, row, 1);
    else if (FEW_ROWS == 2 || n_rows == 2) FP_WITH_BITS(bits, stream_rows, p, panel, row, 2);
    else if (n_rows <= FOUR) FP_WITH_BITS(bits, stream_rows, p, panel, row, FOUR);
    else FP_WITH_BITS(bits, stream_rows, p, panel, row, FEW_ROWS);
}

/* Computes the product of rows of int8 codes. */
ALWAYS void group_codes(const assay_product *p)
{
    const size_t end = p->first_panel + p->n_panels;
    if (p->n_rows <= STREAMED_ROWS) {
        for (size_t k = p->first_panel; k < end; k++)
            for (size_t r = 0; r < p->n_rows; r += FEW_ROWS) stream_block(p, k, r);
        return;
    }
    for (size_t r = 0; r < p->n_rows; r += CHUNK)
        for (size_t k = p->first_panel; k < end; k++)
            add_spans(p, k, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK);
}

#endif
