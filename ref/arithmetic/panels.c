/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/arithmetic/panels.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "ref/arithmetic/weight.h"

/* A panel, DEPTH numbers of every token, stays in a second-level cache while it is multiplied by a block of
 * rows of the weights; so does the block. */
#define DEPTH       256 /* numbers of a row that are multiplied before the next row is */
#define BLOCK_BYTES ((size_t)1 << 20)
#define NARROW      32 /* rows that are converted at once */
#define LINE        8  /* numbers of double in a line of cache: arrays are transposed in squares of it */

typedef struct panels {
    const ref_tile *tile;
    size_t k, ld;     /* numbers of a row, and the distance of widened rows: in other sets of the cache */
    size_t n_tokens;  /* of x */
    size_t width;     /* n_tokens with those that fill the last tile */
    size_t n_block;   /* rows of a block, a multiple of the tile's */
    double *x;        /* panels of DEPTH numbers, each [tiles, DEPTH, tile's tokens] */
    double *rows;     /* [n_block, ld], the widened weights */
    double *sum;      /* [n_block, width] */
    ref_real *narrow; /* [NARROW, k]: rows before they are widened */
} panels;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static void close_panels(panels *p)
{
    free(p->x);
    free(p->narrow);
}

/* All arrays of double are one piece of memory: small ones share its huge pages. */
static bool open_panels(panels *p, size_t n_tokens, const plan_weight *weight, const ref_tile *tile)
{
    const size_t k = weight->cols, n = tile->n_rows;
    const size_t n_full = BLOCK_BYTES / sizeof(double) / (k ? k : 1) / n * n;
    *p = (panels){.tile = tile, .k = k, .ld = k + LINE, .n_tokens = n_tokens};
    p->width = round_up(n_tokens, tile->n_tokens);
    p->n_block = smaller(n_full > n ? n_full : n, round_up(weight->rows, n));
    const size_t n_x = p->width * k, n_rows = p->n_block * p->ld, n_sum = p->n_block * p->width;
    p->x = huge_alloc((n_x + n_rows + n_sum) * sizeof *p->x);
    p->narrow = malloc((NARROW * k + 1) * sizeof *p->narrow);
    if (!p->x || !p->narrow) {
        close_panels(p);
        return false;
    }
    p->rows = p->x + n_x;
    p->sum = p->rows + n_rows;
    return true;
}

/* Copies the first n of a tile's tokens, [n, depth] with rows k apart, into its panel [depth, tile's tokens].
 */
static void copy_tile(const panels *p, double *panel, const ref_real *x, size_t n, size_t depth)
{
    const size_t width = p->tile->n_tokens;
    for (size_t first = 0; first < depth; first += LINE) {
        const size_t end = smaller(first + LINE, depth);
        for (size_t t = 0; t < n; t++)
            for (size_t i = first; i < end; i++) panel[i * width + t] = (double)x[t * p->k + i];
    }
    for (size_t i = 0; n < width && i < depth; i++)
        for (size_t t = n; t < width; t++) panel[i * width + t] = 0;
}

static void copy_tokens(const panels *p, const ref_real *x)
{
    const size_t n = p->tile->n_tokens;
    for (size_t i = 0; i < p->k; i += DEPTH) {
        const size_t depth = smaller(p->k - i, DEPTH);
        double *panel = p->x + p->width * i;
        for (size_t t = 0; t < p->n_tokens; t += n, panel += depth * n)
            copy_tile(p, panel, x + t * p->k + i, smaller(p->n_tokens - t, n), depth);
    }
}

/* Widens n rows of the weights; those that fill the last tile are zeros. */
static void widen_rows(const panels *p, const plan_weight *weight, size_t first, size_t n)
{
    const size_t end = round_up(n, p->tile->n_rows);
#ifdef REF_DOUBLE
    ref_weight_rows_apart(weight, first, n, p->rows, p->ld);
#else
    for (size_t begin = 0; begin < n; begin += NARROW) {
        const size_t n_rows = smaller(n - begin, NARROW);
        ref_weight_rows(weight, first + begin, n_rows, p->narrow);
        for (size_t r = 0; r < n_rows; r++)
            for (size_t i = 0; i < p->k; i++)
                p->rows[(begin + r) * p->ld + i] = (double)p->narrow[r * p->k + i];
    }
#endif
    memset(p->rows + n * p->ld, 0, (end - n) * p->ld * sizeof *p->rows);
}

static void multiply_block(const panels *p, size_t n_rows)
{
    const ref_tile *tile = p->tile;
    const size_t end = round_up(n_rows, tile->n_rows), width = p->width;
    memset(p->sum, 0, end * width * sizeof *p->sum);
    for (size_t i = 0; i < p->k; i += DEPTH) {
        const size_t depth = smaller(p->k - i, DEPTH);
        const double *panel = p->x + width * i;
        for (size_t r = 0; r < end; r += tile->n_rows)
            for (size_t t = 0; t < width; t += tile->n_tokens)
                tile->multiply(p->sum + r * width + t, width, p->rows + r * p->ld + i, p->ld,
                               panel + t * depth, depth);
    }
}

/* y: [n_tokens, n_rows] with rows ld_y apart, the transpose of the sums. */
static void store_sums(const panels *p, ref_real *y, size_t ld_y, size_t n_rows)
{
    for (size_t first = 0; first < n_rows; first += LINE) {
        const size_t end = smaller(first + LINE, n_rows);
        for (size_t t = 0; t < p->n_tokens; t++)
            for (size_t r = first; r < end; r++) y[t * ld_y + r] = (ref_real)p->sum[r * p->width + t];
    }
}

assay_status ref_panels(ref_real *y, const ref_real *x, size_t n_tokens, const plan_weight *weight,
                        const ref_tile *tile)
{
    panels p;
    if (!open_panels(&p, n_tokens, weight, tile)) return ASSAY_ENOMEM;
    copy_tokens(&p, x);
    for (size_t first = 0; first < weight->rows; first += p.n_block) {
        const size_t n_rows = smaller(weight->rows - first, p.n_block);
        widen_rows(&p, weight, first, n_rows);
        multiply_block(&p, n_rows);
        store_sums(&p, y + first, weight->rows, n_rows);
    }
    close_panels(&p);
    return ASSAY_OK;
}
