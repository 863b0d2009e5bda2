/* Products of float rows with plain weights, over the names of whichever vec__<isa>.h was included
 * before. matmul__<isa>.c defines ROWS, the rows of a block, before it includes this.
 *
 * A block is ROWS rows by one panel: registers of sums, each fed by one multiply-add for every input in
 * turn, so that it is bit-identical for any blocking. Sums are made over PART inputs at a time and then
 * added up, which keeps rounding errors from growing with n_in; partial sums are stored in y.
 *
 * Where there are many rows, the weights of a part, widened, stay in the first or second cache and
 * serve CHUNK rows, whose part of x stays in the second. Where there are few, each panel is read once
 * from end to end, as memory likes it.
 *
 * Rows of bfloat16 go the same way once they are widened, a part at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_MATMUL_VEC_H
#define FASTPATH_KERNELS_MATMUL_VEC_H

#include "fastpath/kernels/matmul/matmul.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/vec/unroll.h"

#define ALWAYS static inline __attribute__((always_inline))

enum { PART = 128, CHUNK = 128, VECS = 32 / VEC };

/* Layout of the weights in a panel. */
typedef enum panel_layout { LAYOUT_F32, LAYOUT_F16, LAYOUT_PAIRS } panel_layout;

/* A block of sums, and its inputs. */
typedef struct block {
    float *y;
    const float *x;
    size_t ld_y, ld_x;
    const void *weights; /* of the part: [n_in, FP_PANEL] */
    size_t n_in;
    size_t n_out; /* number of the panel's outputs that exist */
    bool first;   /* store the sums in y; otherwise add them */
} block;

/* The number of n outputs that fall into vector v. */
ALWAYS size_t lanes_of(size_t n, size_t v)
{
    return n > v * VEC ? n - v * VEC : 0;
}

/* Loads row r of y into registers; 0 before the first sums. */
ALWAYS void take_y(vec y[VECS], const block *b, size_t r)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++)
        y[v] = b->first ? vec_of(0) : vec_load(b->y + r * b->ld_y + v * VEC, lanes_of(b->n_out, v));
}

ALWAYS void put_y(const block *b, size_t r, const vec y[VECS])
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) vec_store(b->y + r * b->ld_y + v * VEC, y[v], lanes_of(b->n_out, v));
}

/* y = or += sum. */
ALWAYS void add_sums(const block *b, size_t r, const vec sum[VECS])
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        const size_t n = lanes_of(b->n_out, v);
        float *y = b->y + r * b->ld_y + v * VEC;
        vec_store(y, b->first ? sum[v] : vec_add(vec_load(y, n), sum[v]), n);
    }
}

ALWAYS void add_input(vec sum[][VECS], const vec w[VECS], const float *x, size_t ld_x, size_t n_rows)
{
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) {
        const vec factor = vec_of(x[r * ld_x]);
        FP_UNROLL(8)
        for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_fma(factor, w[v], sum[r][v]);
    }
}

/* Loads input i of the outputs of a panel. */
ALWAYS void load_numbers(vec w[VECS], const void *weights, size_t i, panel_layout layout)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        size_t at = i * FP_PANEL + v * VEC;
        w[v] = layout == LAYOUT_F32 ? vec_load((const float *)weights + at, VEC)
                                    : vec_load_f16((const uint16_t *)weights + at);
    }
}

/* Loads inputs 2i and 2i + 1. */
ALWAYS void load_pairs(vec even[VECS], vec odd[VECS], const void *weights, size_t i)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) {
        vec_bits pair = vec_bits_load((const uint32_t *)weights + i * FP_PANEL + v * VEC);
        even[v] = vec_from_bits(vec_bits_left(pair, 16));
        odd[v] = vec_from_bits(vec_bits_and(pair, vec_bits_of(0xFFFF0000U)));
    }
}

/* With many rows the hardware prefetcher does not look far enough ahead (measured: 8 rows gain a
 * sixth). With four or fewer rows a prefetch only costs time. */
ALWAYS void fetch_ahead(const void *weights, size_t n_rows)
{
    enum { AHEAD = 2048, LINE = 64 };
    if (n_rows <= 4) return;
    __builtin_prefetch((const char *)weights + AHEAD);
    __builtin_prefetch((const char *)weights + AHEAD + LINE);
}

/* n_rows: a compile-time constant in every call, so that the sums stay in registers. */
ALWAYS void sum_block(vec sum[][VECS], const block *b, size_t n_rows, panel_layout layout)
{
    const float *x = b->x;
    const size_t ld_x = b->ld_x, n_in = b->n_in;
    vec w[VECS], odd[VECS];
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) sum[r][v] = vec_of(0);
    if (layout != LAYOUT_PAIRS) {
        const size_t step = FP_PANEL * (layout == LAYOUT_F32 ? sizeof(float) : sizeof(uint16_t));
        for (size_t i = 0; i < n_in; i++) {
            load_numbers(w, b->weights, i, layout);
            fetch_ahead((const char *)b->weights + i * step, n_rows);
            add_input(sum, w, x + i, ld_x, n_rows);
        }
        return;
    }
    for (size_t i = 0; i < n_in / 2; i++) {
        load_pairs(w, odd, b->weights, i);
        add_input(sum, w, x + 2 * i, ld_x, n_rows);
        add_input(sum, odd, x + 2 * i + 1, ld_x, n_rows);
    }
    if (n_in % 2) {
        load_pairs(w, odd, b->weights, n_in / 2);
        add_input(sum, w, x + n_in - 1, ld_x, n_rows);
    }
}

ALWAYS void add_block(const block *b, size_t n_rows, panel_layout layout)
{
    vec sum[ROWS][VECS];
    sum_block(sum, b, n_rows, layout);
    FP_UNROLL(8)
    for (size_t r = 0; r < n_rows; r++) add_sums(b, r, sum[r]);
}

/* 1 … ROWS rows. */
ALWAYS void add_rows(const block *b, size_t n_rows, panel_layout layout)
{
    enum {
        R3 = ROWS < 3 ? ROWS : 3,
        R4 = ROWS < 4 ? ROWS : 4,
        R5 = ROWS < 5 ? ROWS : 5,
        R6 = ROWS < 6 ? ROWS : 6,
        R7 = ROWS < 7 ? ROWS : 7
    };
    switch (n_rows) {
    case 1: add_block(b, 1, layout); return;
    case 2: add_block(b, 2, layout); return;
    default: break;
    }
    if (ROWS > 3 && n_rows == 3) add_block(b, R3, layout);
    else if (ROWS > 4 && n_rows == 4) add_block(b, R4, layout);
    else if (ROWS > 5 && n_rows == 5) add_block(b, R5, layout);
    else if (ROWS > 6 && n_rows == 6) add_block(b, R6, layout);
    else if (ROWS > 7 && n_rows == 7) add_block(b, R7, layout);
    else if (ROWS > 2) add_block(b, ROWS, layout);
}

/* The block of a panel's rows from `row` on. */
ALWAYS block panel_block(const assay_product *p, size_t panel, size_t row)
{
    size_t n_out = p->w->n_out - panel * FP_PANEL;
    return (block){.y = p->y + row * p->ld_y + panel * FP_PANEL,
                   .ld_y = p->ld_y,
                   .n_out = n_out < FP_PANEL ? n_out : FP_PANEL,
                   .first = true};
}

/* As panel_block, with inputs from take_x. */
ALWAYS block fed_block(const assay_product *p, size_t panel, size_t row, const block *x)
{
    block b = panel_block(p, panel, row);
    b.x = x->x;
    b.ld_x = x->ld_x;
    b.n_in = x->n_in;
    b.first = x->first;
    return b;
}

ALWAYS const void *weights_of(const assay_matrix *w, size_t panel, size_t from)
{
    return (const char *)w->panels + panel * w->panel_bytes +
           from * FP_PANEL * (w->dtype == ASSAY_F32 ? sizeof(float) : sizeof(uint16_t));
}

/* Gets at most `part` inputs of x from `from` on, as floats. wide: scratch, [n_rows, PART], used if x
 * is not float. */
ALWAYS void take_x(block *b, float *wide, const assay_product *p, assay_dtype dtype, size_t row,
                   size_t n_rows, size_t from, size_t part)
{
    b->n_in = p->w->n_in - from < part ? p->w->n_in - from : part;
    b->first = from == 0;
    b->ld_x = dtype == ASSAY_F32 ? p->ld_x : PART;
    b->x = dtype == ASSAY_F32 ? (const float *)p->x + row * p->ld_x + from : wide;
    for (size_t r = 0; dtype == ASSAY_BF16 && r < n_rows; r++)
        for (size_t i = 0; i < b->n_in; i += VEC) {
            const size_t n = b->n_in - i, at = (row + r) * p->ld_x + from + i;
            vec_store(wide + r * PART + i, vec_loadu_bf16((const uint16_t *)p->x + at, n), n);
        }
}

/* Gets the weights of a part as float, [n_in, FP_PANEL]. wide: scratch, used if they are not float. */
ALWAYS const float *widen(float *wide, const void *weights, size_t n_in, panel_layout layout)
{
    vec w[VECS], odd[VECS];
    if (layout == LAYOUT_F32) return weights;
    for (size_t i = 0; i < n_in; i += layout == LAYOUT_PAIRS ? 2 : 1) {
        if (layout == LAYOUT_PAIRS) load_pairs(w, odd, weights, i / 2);
        else load_numbers(w, weights, i, layout);
        FP_UNROLL(8)
        for (size_t v = 0; v < VECS; v++) {
            vec_store(wide + i * FP_PANEL + v * VEC, w[v], VEC);
            if (layout == LAYOUT_PAIRS) vec_store(wide + (i + 1) * FP_PANEL + v * VEC, odd[v], VEC);
        }
    }
    return wide;
}

/* Multiplies all rows of a chunk with the weights of b, which are float. */
static void add_chunk(block b, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r += ROWS) {
        add_rows(&b, n_rows - r < ROWS ? n_rows - r : ROWS, LAYOUT_F32);
        b.y += ROWS * b.ld_y;
        b.x += ROWS * b.ld_x;
    }
}

/* Computes rows row … row + n_rows - 1, at most CHUNK. */
ALWAYS void many_rows(const assay_product *p, size_t row, size_t n_rows, assay_dtype dtype,
                      panel_layout layout)
{
    _Alignas(64) float wide[PART * FP_PANEL];
    float x[CHUNK * PART];
    for (size_t i = 0; i < p->w->n_in; i += PART) {
        block part;
        take_x(&part, x, p, dtype, row, n_rows, i, PART);
        for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++) {
            block b = fed_block(p, k, row, &part);
            b.weights = widen(wide, weights_of(p->w, k, i), b.n_in, layout);
            add_chunk(b, n_rows);
        }
    }
}

ALWAYS void matmul(const assay_product *p, assay_dtype dtype, panel_layout layout)
{
    float x[ROWS * PART];
    if (p->n_rows > ROWS) {
        for (size_t r = 0; r < p->n_rows; r += CHUNK)
            many_rows(p, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK, dtype, layout);
        return;
    }
    for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++) {
        block b = panel_block(p, k, 0);
        for (size_t i = 0; i < p->w->n_in; i += PART) {
            take_x(&b, x, p, dtype, 0, p->n_rows, i, PART);
            b.weights = weights_of(p->w, k, i);
            add_rows(&b, p->n_rows, layout);
        }
    }
}

#endif
