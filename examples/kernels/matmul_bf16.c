/* y = x Wᵀ, W in bfloat16, x and y in float.
 *
 * A tile is TILE_ROWS rows by the PANEL outputs of one panel; its sums stay in registers over all
 * inputs. All rows use the same tile: if fewer than TILE_ROWS are left, the last one is computed
 * several times. A second loop for the remaining rows could be compiled to other instructions and round
 * differently: the product would not be batch-invariant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "example.h"

enum { TILE_ROWS = 4, BLOCK = 128 };

static float widen_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

size_t matmul_bf16_bytes(const assay_weight *w)
{
    const size_t bytes = w->n_in * PANEL * sizeof(uint16_t);
    return (bytes + ASSAY_ALIGNMENT - 1) / ASSAY_ALIGNMENT * ASSAY_ALIGNMENT;
}

/* Outputs beyond the last one are zeros. Rows may be unaligned, so numbers are copied with memcpy. */
void matmul_bf16_pack(void *panel, const assay_weight *w, size_t index)
{
    const char *rows = w->rows;
    char *to = panel;
    memset(panel, 0, matmul_bf16_bytes(w));
    for (size_t k = 0; k < PANEL && index * PANEL + k < w->n_out; k++)
        for (size_t i = 0; i < w->n_in; i++)
            memcpy(to + (i * PANEL + k) * sizeof(uint16_t),
                   rows + ((index * PANEL + k) * w->stride + i) * sizeof(uint16_t), sizeof(uint16_t));
}

static const uint16_t *panel_of(const assay_matrix *w, size_t index)
{
    return (const uint16_t *)(const void *)((const char *)w->panels + index * w->panel_bytes);
}

void matmul_bf16_unpack(float *row, const assay_matrix *w, size_t o)
{
    const uint16_t *panel = panel_of(w, o / PANEL);
    for (size_t i = 0; i < w->n_in; i++) row[i] = widen_bf16(panel[i * PANEL + o % PANEL]);
}

/* Adds n inputs to sum[r][k], of row x[r] with output k of the panel. */
static void add_block(float sum[TILE_ROWS][PANEL], const float *const x[TILE_ROWS], const uint16_t *panel,
                      size_t n)
{
    float part[TILE_ROWS][PANEL] = {{0}};
    for (size_t i = 0; i < n; i++, panel += PANEL)
        for (size_t k = 0; k < PANEL; k++) {
            const float w = widen_bf16(panel[k]);
            for (size_t r = 0; r < TILE_ROWS; r++) part[r][k] += x[r][i] * w;
        }
    for (size_t r = 0; r < TILE_ROWS; r++)
        for (size_t k = 0; k < PANEL; k++) sum[r][k] += part[r][k];
}

/* A single float sum would exceed the bound after some thousand inputs; a sum of partial sums does not. */
static void multiply_tile(float sum[TILE_ROWS][PANEL], const float *const rows[TILE_ROWS],
                          const uint16_t *panel, size_t n_in)
{
    memset(sum, 0, TILE_ROWS * sizeof *sum);
    for (size_t i = 0; i < n_in; i += BLOCK) {
        const float *x[TILE_ROWS];
        for (size_t r = 0; r < TILE_ROWS; r++) x[r] = rows[r] + i;
        add_block(sum, x, panel + i * PANEL, n_in - i < BLOCK ? n_in - i : BLOCK);
    }
}

void matmul_bf16_f32(const assay_product *p)
{
    const size_t end = p->first_panel + p->n_panels;
    for (size_t index = p->first_panel; index < end; index++) {
        const size_t first = index * PANEL, left = p->w->n_out - first, n_out = left < PANEL ? left : PANEL;
        for (size_t row = 0; row < p->n_rows; row += TILE_ROWS) {
            const float *x[TILE_ROWS];
            float sum[TILE_ROWS][PANEL];
            for (size_t r = 0; r < TILE_ROWS; r++)
                x[r] = (const float *)p->x + (row + r < p->n_rows ? row + r : p->n_rows - 1) * p->ld_x;
            multiply_tile(sum, x, panel_of(p->w, index), p->w->n_in);
            for (size_t r = 0; r < TILE_ROWS && row + r < p->n_rows; r++)
                memcpy(p->y + (row + r) * p->ld_y + first, sum[r], n_out * sizeof(float));
        }
    }
}
