/* Affine groups by rows of bfloat16 (VDPBF16PS) and by rows of codes (VPDPBUSD). What a group's part of an
 * output is, groups__vec.h says; here, too, sums stay in registers while some groups of a panel go by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec__avx512.h"

enum { ROWS = 8, CODE_ROWS = 6 };

#include "fastpath/kernels/codes__vec.h"

/* Codes less o of input pair `at` of the two in each lane, as bfloat16: whole numbers up to 128 are exact,
 * and the lower half of their floats is 0. */
ALWAYS vec_bits code_pair(vec_bits quad, size_t at, size_t bits)
{
    const vec_bits even = _mm512_castps_si512(code_of(quad, 2 * at, bits)),
                   odd = _mm512_castps_si512(code_of(quad, 2 * at + 1, bits));
    return vec_bits_or(vec_bits_right(even, 16), odd);
}

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

/* Of one group of a row, in one order. */
ALWAYS float sum_of_x(const uint16_t *x, size_t n)
{
    vec sum = vec_of(0);
    for (size_t i = 0; i < n; i += VEC) sum = vec_add(sum, vec_loadu_bf16(x + i, VEC));
    return _mm512_reduce_add_ps(sum);
}

ALWAYS void join_sums(vec y[VECS], const vec sum[VECS], const vec scale[VECS], const vec bias[VECS],
                      float x_sum)
{
    FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) y[v] = vec_fma(scale[v], sum[v], vec_fma(bias[v], vec_of(x_sum), y[v]));
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

/* Groups of some inputs of one panel as pairs, and what scales them; and the sums of some rows in those
 * groups. */
typedef struct pair_span {
    size_t first, n; /* groups */
    _Alignas(64) uint32_t pairs[SPAN / 2 * FP_PANEL];
    vec scale[SPAN / 32][VECS], bias[SPAN / 32][VECS];
    float x_sum[CHUNK][SPAN / 32];
} pair_span;

ALWAYS void pair_codes(uint32_t *pairs, const char *codes, size_t n_in, size_t bits)
{
    for (size_t base = 0; base < n_in / 4; base += 8) FP_UNROLL(8)
    for (size_t q = base; q < base + 8; q++) FP_UNROLL(4)
    for (size_t v = 0; v < VECS; v++) {
        const vec_bits quad = quad_at(codes, q, v, bits, n_in);
        vec_bits_store(pairs + 2 * q * FP_PANEL + v * VEC, code_pair(quad, 0, bits));
        vec_bits_store(pairs + (2 * q + 1) * FP_PANEL + v * VEC, code_pair(quad, 1, bits));
    }
}

static void pair_group(uint32_t *pairs, const char *codes, size_t n_in, size_t bits)
{
    switch (bits) {
    case 2: pair_codes(pairs, codes, n_in, 2); break;
    case 3: pair_codes(pairs, codes, n_in, 3); break;
    case 4: pair_codes(pairs, codes, n_in, 4); break;
    case 5: pair_codes(pairs, codes, n_in, 5); break;
    case 6: pair_codes(pairs, codes, n_in, 6); break;
    default: pair_codes(pairs, codes, n_in, 8);
    }
}

static void open_pairs(pair_span *s, const assay_product *p, size_t panel)
{
    for (size_t i = 0; i < s->n; i++) {
        const group g = group_at(p->w, panel, s->first + i);
        pair_group(s->pairs + i * (p->w->group / 2) * FP_PANEL, g.codes, p->w->group, p->w->bits);
        FP_UNROLL(4)
        for (size_t v = 0; v < VECS; v++) {
            s->scale[i][v] = g.scale[v];
            s->bias[i][v] = g.bias[v];
        }
    }
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
    const size_t n_in = p->w->group;
    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < s->n; i++)
            s->x_sum[r][i] =
                sum_of_x((const uint16_t *)p->x + (row + r) * p->ld_x + (s->first + i) * n_in, n_in);
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
