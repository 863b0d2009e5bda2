/* Multiplies rows of bfloat16 with TDPBF16PS and rows of int8 codes with TDPBSUD, in blocks of 32 rows
 * by one panel: four tiles of sums. With fewer rows a tile has fewer rows; the rows of a tile are
 * independent.
 *
 * A panel of pairs already has the layout of two tiles of weights, with one row of 16 outputs' pairs
 * per pair of inputs; so have codes unpacked to bytes, or converted to pairs. Plain weights are summed
 * over TILE_PART inputs at a time, affine groups over a group; these partial sums are then added.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/vec/vec__avx512.h"

enum { ROWS = 8, CODE_ROWS = 6, FEW_ROWS = 8, STREAMED_ROWS = 8 };

#include "fastpath/kernels/matmul/amx_tile.h"
#include "fastpath/kernels/matmul/pair_groups__avx512.h"

enum {
    BLOCK = 2 * AMX_ROWS,
    TILE_PART = 512, /* inputs of a panel: 32 KiB of pairs, which stay in the L1 cache for a chunk of rows */
    TILE_INPUTS = AMX_BYTES / 2,
    STRIDE = 4 * 32 /* bytes between rows of the weights */
};

/* This thread's tile configuration: rows of a block, bytes of a row of x in a tile. */
typedef struct tiles {
    size_t n_rows, n_bytes;
} tiles;

static void set_tiles(tiles *t, size_t n_rows, size_t n_bytes)
{
    if (t->n_rows == n_rows && t->n_bytes == n_bytes) return;
    amx_config config = {.palette = 1};
    for (size_t half = 0; half < 2; half++) {
        const size_t left = n_rows > half * AMX_ROWS ? n_rows - half * AMX_ROWS : 0,
                     n = left < AMX_ROWS ? left : AMX_ROWS;
        for (size_t i = AMX_SUMS + 2 * half; n && i < AMX_SUMS + 2 * half + 2; i++) {
            config.rows[i] = (uint8_t)n;
            config.row_bytes[i] = AMX_BYTES;
        }
        config.rows[AMX_X + half] = (uint8_t)n;
        config.row_bytes[AMX_X + half] = (uint16_t)(n ? n_bytes : 0);
        config.rows[AMX_WEIGHTS + half] = (uint8_t)(n_bytes / 4);
        config.row_bytes[AMX_WEIGHTS + half] = AMX_BYTES;
    }
    amx_configure(&config);
    *t = (tiles){n_rows, n_bytes};
}

/* Some inputs of a panel as pairs: a multiple of TILE_INPUTS, and the rest of n_in, padded with 0. */
typedef struct pair_part {
    const uint32_t *pairs;
    size_t n_in;
    _Alignas(64) uint32_t rest[TILE_INPUTS / 2 * FP_PANEL];
} pair_part;

static void open_part(pair_part *part, const uint32_t *pairs, size_t n_in)
{
    const size_t n_rest = n_in % TILE_INPUTS;
    part->pairs = pairs;
    part->n_in = n_in;
    if (n_rest == 0) return;
    const size_t n = (n_rest + 1) / 2 * FP_PANEL;
    __builtin_memcpy(part->rest, pairs + n_in / TILE_INPUTS * (TILE_INPUTS / 2) * FP_PANEL,
                     n * sizeof *part->rest);
    for (size_t i = n; i < TILE_INPUTS / 2 * FP_PANEL; i++) part->rest[i] = 0;
}

/* Multiplies the inputs of part->rest for some rows; elements of x after them are not read as numbers
 * but replaced by 0. */
static void multiply_rest(const pair_part *part, const uint16_t *x, size_t ld_x, size_t n_rows)
{
    _Alignas(64) uint16_t rest[BLOCK][TILE_INPUTS] = {{0}};
    const size_t n = part->n_in % TILE_INPUTS;
    for (size_t r = 0; r < n_rows; r++)
        __builtin_memcpy(rest[r], x + r * ld_x + part->n_in - n, n * sizeof *x);
    amx_load_weights(part->rest, STRIDE);
    amx_load_x(rest, sizeof *rest, n_rows > AMX_ROWS);
    amx_multiply_pairs(n_rows > AMX_ROWS);
}

/* sum: [n_rows]; x: first input of the part in the first row. */
static void sum_part(tiles *t, float sum[][32], const pair_part *part, const uint16_t *x, size_t ld_x,
                     size_t n_rows)
{
    const bool two = n_rows > AMX_ROWS;
    set_tiles(t, n_rows, AMX_BYTES);
    amx_zero_sums(two);
    for (size_t i = 0; i + TILE_INPUTS <= part->n_in; i += TILE_INPUTS) {
        amx_load_weights(part->pairs + i / 2 * FP_PANEL, STRIDE);
        amx_load_x(x + i, ld_x * sizeof *x, two);
        amx_multiply_pairs(two);
    }
    if (part->n_in % TILE_INPUTS) multiply_rest(part, x, ld_x, n_rows);
    amx_store_sums(sum, two);
}

ALWAYS void load_sums(vec sum[VECS], const float *from)
{
    FP_UNROLL(8)
    for (size_t v = 0; v < VECS; v++) sum[v] = vec_load(from + v * VEC, VEC);
}

/* Adds inputs from … from + TILE_PART - 1 of panel k. */
static void pairs_of_panel(const assay_product *p, tiles *t, size_t row, size_t n_rows, size_t k, size_t from)
{
    _Alignas(64) float sum[BLOCK][32];
    const size_t left = p->w->n_in - from;
    const uint16_t *x = (const uint16_t *)p->x + row * p->ld_x + from;
    block b = panel_block(p, k, row);
    pair_part part;
    b.first = from == 0;
    open_part(&part, weights_of(p->w, k, from), left < TILE_PART ? left : TILE_PART);
    for (size_t r = 0; r < n_rows; r += BLOCK) {
        const size_t n = n_rows - r < BLOCK ? n_rows - r : BLOCK;
        sum_part(t, sum, &part, x + r * p->ld_x, p->ld_x, n);
        for (size_t i = 0; i < n; i++) {
            vec part_sum[VECS];
            load_sums(part_sum, sum[i]);
            add_sums(&b, r + i, part_sum);
        }
    }
}

/* As in the other variants: many rows share a part of the weights while it is cached; few rows read a
 * panel sequentially. */
void fp_matmul_bf16_bf16__amx(const assay_product *p)
{
    const size_t end = p->first_panel + p->n_panels, n_in = p->w->n_in;
    tiles t = {0, 0};
    for (size_t k = p->first_panel; p->n_rows <= BLOCK && k < end; k++)
        for (size_t i = 0; i < n_in; i += TILE_PART) pairs_of_panel(p, &t, 0, p->n_rows, k, i);
    for (size_t r = 0; p->n_rows > BLOCK && r < p->n_rows; r += CHUNK)
        for (size_t i = 0; i < n_in; i += TILE_PART)
            for (size_t k = p->first_panel; k < end; k++)
                pairs_of_panel(p, &t, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK, k, i);
    amx_release();
}

/* Adds a span for rows row … row + n_rows - 1, at most BLOCK. at: index of the first row in the chunk. */
static void add_pairs(const assay_product *p, tiles *t, const pair_span *s, size_t panel, size_t row,
                      size_t at, size_t n_rows)
{
    _Alignas(64) float sums[BLOCK][32];
    const size_t n_in = p->w->group;
    const uint16_t *x = (const uint16_t *)p->x + row * p->ld_x + s->first * n_in;
    block b = panel_block(p, panel, row);
    pair_part part;
    for (size_t i = 0; i < s->n; i++) {
        b.first = s->first + i == 0;
        open_part(&part, s->pairs + i * (n_in / 2) * FP_PANEL, n_in);
        sum_part(t, sums, &part, x + i * n_in, p->ld_x, n_rows);
        for (size_t r = 0; r < n_rows; r++) {
            vec y[VECS], sum[VECS];
            take_y(y, &b, r);
            load_sums(sum, sums[r]);
            join_sums(y, sum, &s->groups[i], s->x_sum[at + r][i]);
            put_y(&b, r, y);
        }
    }
}

/* Adds a span of all panels for a chunk of rows. */
static void pairs_of_chunk(const assay_product *p, tiles *t, pair_span *s, size_t row, size_t n_rows)
{
    sum_chunk(s, p, row, n_rows);
    for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++) {
        open_pairs(s, p, k);
        for (size_t r = 0; r < n_rows; r += BLOCK)
            add_pairs(p, t, s, k, row + r, r, n_rows - r < BLOCK ? n_rows - r : BLOCK);
    }
}

void fp_matmul_bf16_affine__amx(const assay_product *p)
{
    const size_t n_groups = p->w->n_in / p->w->group;
    tiles t = {0, 0};
    pair_span s;
    if (fp_has_table(p->w->dtype)) {
        groups(p, ASSAY_BF16);
        return;
    }
    for (size_t r = 0; r < p->n_rows; r += CHUNK)
        for (s.first = 0; s.first < n_groups; s.first += s.n) {
            s.n = span_groups(p->w, s.first);
            pairs_of_chunk(p, &t, &s, r, p->n_rows - r < CHUNK ? p->n_rows - r : CHUNK);
        }
    amx_release();
}

/* Σ x_code code of group i of a span. */
static void dot_rows(tiles *t, int32_t dot[][32], const span *s, size_t i, const int8_t *x, size_t ld_x,
                     size_t n_in, size_t n_rows)
{
    const size_t step = n_in < AMX_BYTES ? n_in : AMX_BYTES;
    const bool two = n_rows > AMX_ROWS;
    set_tiles(t, n_rows, step);
    amx_zero_sums(two);
    for (size_t at = 0; at < n_in; at += step) {
        amx_load_weights(s->quads + (i * n_in + at) / 4 * FP_PANEL, STRIDE);
        amx_load_x(x + i * n_in + at, ld_x, two);
        amx_multiply_codes(two);
    }
    amx_store_sums(dot, two);
}

/* Adds a span for rows row … row + n_rows - 1, at most BLOCK. */
static void add_codes(const assay_product *p, tiles *t, const span *s, size_t panel, size_t row,
                      size_t n_rows)
{
    _Alignas(64) int32_t dots[BLOCK][32];
    const size_t n_in = p->w->group, n_groups = p->w->n_in / n_in;
    const int8_t *x = (const int8_t *)p->x + row * p->ld_x + s->first * n_in;
    block b = panel_block(p, panel, row);
    for (size_t i = 0; i < s->n; i++) {
        b.first = s->first + i == 0;
        dot_rows(t, dots, s, i, x, p->ld_x, n_in, n_rows);
        for (size_t r = 0; r < n_rows; r++) {
            const size_t at = (row + r) * n_groups + s->first + i;
            const vec_bits offset = vec_bits_of((uint32_t)p->x_sum[at] << (p->w->bits - 1));
            vec y[VECS];
            vec_bits dot[VECS];
            take_y(y, &b, r);
            FP_UNROLL(8)
            for (size_t v = 0; v < VECS; v++) dot[v] = vec_bits_sub(vec_bits_load(dots[r] + v * VEC), offset);
            join_dots(y, dot, &s->groups[i], p->x_scale[at], p->x_sum[at]);
            put_y(&b, r, y);
        }
    }
}

/* Integer sums are exact in any order, so few rows, which would not fill tiles, use the variant without
 * tiles. */
void fp_matmul_i8_affine__amx(const assay_product *p)
{
    if (p->n_rows <= STREAMED_ROWS) {
        group_codes(p);
        return;
    }
    const size_t n_groups = p->w->n_in / p->w->group;
    tiles t = {0, 0};
    span s;
    for (size_t k = p->first_panel; k < p->first_panel + p->n_panels; k++)
        for (size_t first = 0; first < n_groups; first += s.n) {
            open_span(&s, p, k, first);
            for (size_t r = 0; r < p->n_rows; r += BLOCK)
                add_codes(p, &t, &s, k, r, p->n_rows - r < BLOCK ? p->n_rows - r : BLOCK);
        }
    amx_release();
}
