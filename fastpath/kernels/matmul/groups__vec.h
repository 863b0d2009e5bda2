/* Products with affine groups. Included after matmul__vec.h, whose blocks it uses.
 *
 * With o = 2^(bits - 1), a group's part of an output is
 *     Σ x w = scale Σ x (code - o) + (bias + o scale) Σ x:
 * what is summed lies around 0, as weights do, so that nothing large cancels. Codes are exact in every type
 * here.
 *
 * One row takes the codes as they stream in from memory; more rows share a copy that is widened first. Either
 * way a sum has the same order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_GROUPS_VEC_H
#define FASTPATH_KERNELS_GROUPS_VEC_H

#include "fastpath/kernels/matmul/matmul__vec.h"

/* Calls fn with the arguments and with bits as a compile-time constant, so that the shifts in its
 * unrolled loops are constant, too. */
#define FP_WITH_BITS(bits, fn, ...)                                                                          \
    do {                                                                                                     \
        switch (bits) {                                                                                      \
        case 2: fn(__VA_ARGS__, 2); break;                                                                   \
        case 3: fn(__VA_ARGS__, 3); break;                                                                   \
        case 4: fn(__VA_ARGS__, 4); break;                                                                   \
        case 5: fn(__VA_ARGS__, 5); break;                                                                   \
        case 6: fn(__VA_ARGS__, 6); break;                                                                   \
        default: fn(__VA_ARGS__, 8);                                                                         \
        }                                                                                                    \
    } while (0)

/* One group of one panel. */
typedef struct group {
    vec scale[VECS], bias[VECS]; /* bias: value of code o */
    const char *codes;
    const float *table; /* the values of all codes, or NULL */
} group;

ALWAYS vec numbers_at(const char *from, size_t v, assay_dtype dtype)
{
    if (dtype == ASSAY_F32) return vec_load((const float *)(const void *)from + v * VEC, VEC);
    const uint16_t *narrow = (const uint16_t *)(const void *)from + v * VEC;
    return dtype == ASSAY_F16 ? vec_load_f16(narrow) : vec_loadu_bf16(narrow, VEC);
}

ALWAYS group group_at(const assay_matrix *w, size_t panel, size_t index)
{
    const char *begin = (const char *)w->panels + panel * w->panel_bytes;
    const char *from = begin + fp_group_offset(w, index);
    const char *biases = from + fp_group_numbers_bytes(w->scale_dtype);
    const float *super =
        (const float *)(const void *)(begin + fp_super_offset(w, index * w->group / FP_SUPER));
    const vec o = vec_of((float)(1U << (w->bits - 1)));
    const bool has_bias = w->bias_dtype != ASSAY_DTYPE_NONE, has_supers = fp_has_supers(w->dtype);
    group g = {.codes = biases + fp_group_numbers_bytes(w->bias_dtype),
               .table = fp_has_table(w->dtype) ? (const float *)(const void *)begin : NULL};
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        vec bias = has_bias ? numbers_at(biases, v, w->bias_dtype) : vec_of(0);
        g.scale[v] = numbers_at(from, v, w->scale_dtype);
        if (has_supers) g.scale[v] = vec_mul(g.scale[v], vec_load(super + v * VEC, VEC));
        if (has_supers && has_bias) bias = vec_mul(bias, vec_load(super + FP_PANEL + v * VEC, VEC));
        g.bias[v] = has_bias ? vec_fma(o, g.scale[v], bias) : vec_of(0);
    }
    return g;
}

ALWAYS vec_bits plane_quad(const char *plane, size_t q, size_t v, size_t width)
{
    const size_t n_each = 8 / width;
    vec_bits word = vec_bits_load(plane + (q / n_each * FP_PANEL + v * VEC) * sizeof(uint32_t));
    if (width == 8) return word;
    return vec_bits_and(vec_bits_right(word, (unsigned)(width * (q % n_each))),
                        vec_bits_of(((1U << width) - 1) * 0x01010101U));
}

/* Loads codes 4q … 4q + 3 of the outputs of vector v, one byte each. */
ALWAYS vec_bits quad_at(const char *codes, size_t q, size_t v, size_t bits, size_t n_in)
{
    const size_t first = fp_first_plane(bits);
    vec_bits quad = plane_quad(codes, q, v, first);
    if (bits == first) return quad;
    vec_bits rest = plane_quad(codes + fp_group_codes_bytes(first, n_in), q, v, bits - first);
    return vec_bits_or(quad, vec_bits_left(rest, (unsigned)first));
}

/* Code `at` of the four in each lane, minus o. */
ALWAYS vec code_of(vec_bits quad, size_t at, size_t bits)
{
    quad = vec_bytes_sub(quad, vec_bits_of((1U << (bits - 1)) * 0x01010101U));
    return vec_from_ints(vec_bits_right_signed(vec_bits_left(quad, (unsigned)(24 - 8 * at)), 24));
}

ALWAYS void widen_codes(float *wide, const char *codes, size_t n_in, size_t bits)
{
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        vec_bits quad = quad_at(codes, q, v, bits, n_in);
        FP_UNROLL(4)
        for (size_t i = 0; i < 4; i++)
            vec_store(wide + (4 * q + i) * FP_PANEL + v * VEC, code_of(quad, i, bits), VEC);
    }
}

/* The value of code `at` of the four in each lane. */
ALWAYS vec value_of(const float *table, vec_bits quad, size_t at, size_t bits)
{
    const vec_bits code = vec_bits_right(quad, (unsigned)(8 * at));
    return bits == 4 ? vec_look_up_16(table, code)
                     : vec_look_up(table, vec_bits_and(code, vec_bits_of(0xFF)));
}

ALWAYS void widen_values(float *wide, const float *table, const char *codes, size_t n_in, size_t bits)
{
    for (size_t q = 0; q < n_in / 4; q++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        vec_bits quad = plane_quad(codes, q, v, bits);
        FP_UNROLL(4)
        for (size_t i = 0; i < 4; i++)
            vec_store(wide + (4 * q + i) * FP_PANEL + v * VEC, value_of(table, quad, i, bits), VEC);
    }
}

/* Unpacks a group's codes, minus o, or their values, to floats: [n_in, FP_PANEL]. */
static void widen_group(float *wide, const group *g, size_t n_in, size_t bits)
{
    if (!g->table) FP_WITH_BITS(bits, widen_codes, wide, g->codes, n_in);
    else if (bits == 4) widen_values(wide, g->table, g->codes, n_in, 4);
    else widen_values(wide, g->table, g->codes, n_in, 8);
}

ALWAYS void sum_codes(vec sum[VECS], const float *x, const char *codes, size_t n_in, size_t bits)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) sum[v] = vec_of(0);
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        vec_bits quad = quad_at(codes, q, v, bits, n_in);
        FP_UNROLL(4)
        for (size_t i = 0; i < 4; i++) sum[v] = vec_fma(vec_of(x[4 * q + i]), code_of(quad, i, bits), sum[v]);
    }
}

ALWAYS void sum_values(vec sum[VECS], const float *x, const float *table, const char *codes, size_t n_in,
                       size_t bits)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) sum[v] = vec_of(0);
    for (size_t base = 0; base < n_in / 4; base += 4) FP_UNROLL(4)
    for (size_t q = base; q < base + 4; q++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        vec_bits quad = plane_quad(codes, q, v, bits);
        FP_UNROLL(4)
        for (size_t i = 0; i < 4; i++)
            sum[v] = vec_fma(vec_of(x[4 * q + i]), value_of(table, quad, i, bits), sum[v]);
    }
}

/* Sums of one row. */
static void sum_group(vec sum[VECS], const float *x, const group *g, size_t n_in, size_t bits)
{
    if (!g->table) FP_WITH_BITS(bits, sum_codes, sum, x, g->codes, n_in);
    else if (bits == 4) sum_values(sum, x, g->table, g->codes, n_in, 4);
    else sum_values(sum, x, g->table, g->codes, n_in, 8);
}

/* y = or += scale * sum + bias * x_sum for one row. */
ALWAYS void join_group(const block *b, size_t r, const group *g, const vec sum[VECS], float x_sum)
{
    vec y[VECS];
    take_y(y, b, r);
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++)
        y[v] = vec_add(y[v], vec_fma(g->scale[v], sum[v], vec_mul(g->bias[v], vec_of(x_sum))));
    put_y(b, r, y);
}

ALWAYS void add_group_block(const block *b, const group *g, const float *x_sum, size_t n_rows)
{
    vec sum[ROWS][VECS];
    sum_block(sum, b, n_rows, LAYOUT_F32);
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) join_group(b, r, g, sum[r], x_sum[r]);
}

/* Adds a group for n_rows rows, ROWS at a time, the rest one by one. b->weights: the group's codes as
 * floats if there is more than one row. */
static void add_group(block b, const group *g, const float *x_sum, size_t n_rows, size_t bits)
{
    size_t r = 0;
    for (; r + ROWS <= n_rows; r += ROWS) {
        add_group_block(&b, g, x_sum + r, ROWS);
        b.y += ROWS * b.ld_y;
        b.x += ROWS * b.ld_x;
    }
    for (; r < n_rows; r++) {
        vec sum[1][VECS];
        if (n_rows == 1) sum_group(sum[0], b.x, g, b.n_in, bits);
        else sum_block(sum, &b, 1, LAYOUT_F32);
        join_group(&b, 0, g, sum[0], x_sum[r]);
        b.y += b.ld_y;
        b.x += b.ld_x;
    }
}

/* Always in the same order, so that results are batch-invariant. */
static void sum_rows(float *x_sum, const block *b, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r++) {
        vec sum = vec_of(0);
        float lanes[VEC];
        for (size_t i = 0; i < b->n_in; i += VEC) sum = vec_add(sum, vec_load(b->x + r * b->ld_x + i, VEC));
        vec_store(lanes, sum, VEC);
        for (size_t n = VEC / 2; n; n /= 2)
            for (size_t i = 0; i < n; i++) lanes[i] += lanes[i + n];
        x_sum[r] = lanes[0];
    }
}

/* Adds one group of some panels for rows row … row + n_rows - 1, at most CHUNK. */
ALWAYS void group_of_panels(const assay_product *p, size_t index, size_t row, size_t n_rows,
                            size_t first_panel, size_t n_panels, assay_dtype dtype)
{
    _Alignas(64) float wide[PART * FP_PANEL];
    float x[CHUNK * PART], x_sum[CHUNK];
    block part;
    take_x(&part, x, p, dtype, row, n_rows, index * p->w->group, p->w->group);
    sum_rows(x_sum, &part, n_rows);
    for (size_t k = first_panel; k < first_panel + n_panels; k++) {
        const group g = group_at(p->w, k, index);
        block b = fed_block(p, k, row, &part);
        b.weights = wide;
        if (n_rows > 1) widen_group(wide, &g, b.n_in, p->w->bits);
        add_group(b, &g, x_sum, n_rows, p->w->bits);
    }
}

/* Computes the product of rows of float or bfloat16. */
ALWAYS void groups(const assay_product *p, assay_dtype dtype)
{
    const size_t n_groups = p->w->n_in / p->w->group;
    if (p->n_rows <= ROWS) {
        for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++)
            for (size_t i = 0; i < n_groups; i++) group_of_panels(p, i, 0, p->n_rows, k, 1, dtype);
        return;
    }
    for (size_t r = 0; r < p->n_rows; r += CHUNK)
        for (size_t i = 0; i < n_groups; i++)
            group_of_panels(p, i, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK, p->first_panel,
                            p->n_panels, dtype);
}

#endif
