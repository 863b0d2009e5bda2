/* Products put together from blocks, whatever the width of a vector. Included by matmul__<isa>.c, which
 * defines before: block; ROWS, the rows of one; LANES, floats of a vector; PART and CHUNK; panel_block;
 * add_rows(b, n_rows, dtype); and widen_lanes(to, weights, at, dtype), which stores LANES weights as f32.
 *
 * SPDX-License-Identifier: Apache-2.0 */
ALWAYS size_t part_size(const fp_matrix *w, size_t i)
{
    return w->n_in - i < PART ? w->n_in - i : PART;
}

/* All of the chunk's rows times the weights of b, which are f32 by now. */
static void add_chunk(block b, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r += ROWS) {
        add_rows(&b, n_rows - r < ROWS ? n_rows - r : ROWS, ASSAY_F32);
        b.y += ROWS * b.ld_y;
        b.x += ROWS * b.ld_x;
    }
}

/* Inputs i … i + n - 1 of a panel; wide: room for them, used where they are not f32 yet. */
ALWAYS const float *widen(float *wide, const fp_matrix *w, size_t panel, size_t i, size_t n,
                          assay_dtype dtype)
{
    size_t at = (panel * w->n_in + i) * FP_PANEL;
    if (dtype == ASSAY_F32) return (const float *)w->panels + at;
    for (size_t j = 0; j < n * FP_PANEL; j += LANES) widen_lanes(wide + j, w->panels, at + j, dtype);
    return wide;
}

/* At most CHUNK rows. */
ALWAYS void many_rows(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, const fp_matrix *w,
                      size_t first_panel, size_t n_panels, assay_dtype dtype)
{
    _Alignas(64) float wide[PART * FP_PANEL];
    for (size_t i = 0; i < w->n_in; i += PART)
        for (size_t p = first_panel; p < first_panel + n_panels; p++) {
            block b = panel_block(y, ld_y, x + i, ld_x, w, p);
            b.n_in = part_size(w, i);
            b.weights = widen(wide, w, p, i, b.n_in, dtype);
            b.first = i == 0;
            add_chunk(b, n_rows);
        }
}

ALWAYS void matmul(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, const fp_matrix *w,
                   size_t first_panel, size_t n_panels, assay_dtype dtype)
{
    if (n_rows > ROWS) {
        for (size_t r = 0; r < n_rows; r += CHUNK)
            many_rows(y + r * ld_y, ld_y, x + r * ld_x, ld_x, n_rows - r < CHUNK ? n_rows - r : CHUNK, w,
                      first_panel, n_panels, dtype);
        return;
    }
    size_t bytes = FP_PANEL * (dtype == ASSAY_F32 ? sizeof(float) : sizeof(uint16_t));
    for (size_t p = first_panel; p < first_panel + n_panels; p++) {
        block b = panel_block(y, ld_y, x, ld_x, w, p);
        for (size_t i = 0; i < w->n_in; i += PART) {
            b.x = x + i;
            b.n_in = part_size(w, i);
            b.weights = (const char *)w->panels + (p * w->n_in + i) * bytes;
            b.first = i == 0;
            add_rows(&b, n_rows, dtype);
        }
    }
}
