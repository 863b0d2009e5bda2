/* Multiplies rows of bfloat16 with VDPBF16PS, in blocks as in matmul__vec.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

/* STRETCH: the inputs that a block of many rows reads before the next block; parts alone would be lines of
 * many pages of memory, which takes twice as long with 8960 inputs. */
enum { ROWS = 8, STREAMED_ROWS = 32, STRETCH = 2048 };

#include "fastpath/kernels/matmul/pairs__avx512bf16.h"

/* Adds inputs for n rows, at most n_rows, a compile-time constant. b->weights: pairs. */
ALWAYS void add_pairs(block b, const uint16_t *x, size_t ld_x, size_t n_rows, size_t n)
{
    const uint32_t *pairs = b.weights;
    for (size_t i = 0; i < b.n_in; i += PART) {
        const size_t n_in = b.n_in - i < PART ? b.n_in - i : PART;
        vec sum[ROWS][VECS];
        sum_pairs(sum, x + i, ld_x, pairs + i / 2 * FP_PANEL, n_in, n_rows, n);
        FP_UNROLL(8)
        for (size_t r = 0; r < n_rows; r++)
            if (r < n) add_sums(&b, r, sum[r]);
        b.first = false;
    }
}

/* Adds any number of rows, in the block sizes measured to be fastest. */
static void add_pair_rows(block b, const uint16_t *x, size_t ld_x, size_t n_rows)
{
    while (n_rows > 0) {
        const size_t n = n_rows >= ROWS ? ROWS : n_rows == 7 || n_rows < 4 ? n_rows : 4;
        if (n == ROWS) add_pairs(b, x, ld_x, ROWS, ROWS);
        else if (n == 7) add_pairs(b, x, ld_x, ROWS, 7);
        else if (n == 4) add_pairs(b, x, ld_x, 4, 4);
        else if (n == 3) add_pairs(b, x, ld_x, 4, 3);
        else if (n == 2) add_pairs(b, x, ld_x, 2, 2);
        else add_pairs(b, x, ld_x, 1, 1);
        b.y += n * b.ld_y;
        x += n * ld_x;
        n_rows -= n;
    }
}

/* Adds inputs i … i + n_most - 1 of panel k. */
ALWAYS void pair_part(const assay_product *p, size_t row, size_t n_rows, size_t k, size_t i, size_t n_most)
{
    block b = panel_block(p, k, row);
    b.n_in = p->w->n_in - i < n_most ? p->w->n_in - i : n_most;
    b.first = i == 0;
    b.weights = weights_of(p->w, k, i);
    add_pair_rows(b, (const uint16_t *)p->x + row * p->ld_x + i, p->ld_x, n_rows);
}

/* Many rows share a stretch of the weights while it is cached; few rows read a panel sequentially. */
void fp_matmul_bf16_bf16__avx512bf16(const assay_product *p)
{
    const size_t end = p->first_panel + p->n_panels, n_in = p->w->n_in;
    if (p->n_rows <= STREAMED_ROWS) {
        for (size_t k = p->first_panel; k < end; k++)
            for (size_t i = 0; i < n_in; i += PART) pair_part(p, 0, p->n_rows, k, i, PART);
        return;
    }
    for (size_t r = 0; r < p->n_rows; r += CHUNK)
        for (size_t i = 0; i < n_in; i += STRETCH)
            for (size_t k = p->first_panel; k < end; k++)
                pair_part(p, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK, k, i, STRETCH);
}
