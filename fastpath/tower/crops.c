/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/crops.h"

#include <string.h>

/* i · length / side in double, as published code divides first, rounded with halves to even. */
static size_t round_even(double value)
{
    const size_t below = (size_t)value;
    const double rest = value - (double)below;
    return rest > 0.5 || (rest == 0.5 && below % 2 == 1) ? below + 1 : below;
}

/* Fills in the lines of an axis with n crops, and the parts. Returns the number of lines. */
static void fill_axis(size_t *line, size_t *begin, size_t n, size_t side, size_t margin)
{
    size_t length = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = k > 0 ? margin : 0; i < side - (k + 1 < n ? margin : 0); i++)
            line[length++] = k * side + i;
    const double size = (double)length / (double)side;
    for (size_t i = 0; i <= side; i++) begin[i] = round_even((double)i * size);
}

bool fp_crops_open(fp_crops *c, fp_scratch *scratch, const float *x, size_t side, size_t width,
                   const size_t layout[2], size_t margin)
{
    *c = (fp_crops){.x = x, .side = side, .width = width, .n_columns = layout[1]};
    if (layout[0] == 0 || layout[1] == 0) {
        c->n_columns = 0;
        return true;
    }
    for (size_t a = 0; a < 2; a++) {
        c->line[a] = fp_scratch_alloc(scratch, layout[a] * side, 1, sizeof *c->line[a]);
        c->begin[a] = c->line[a] ? fp_scratch_alloc(scratch, side + 1, 1, sizeof *c->begin[a]) : NULL;
        if (!c->begin[a]) return false;
        fill_axis(c->line[a], c->begin[a], layout[a], side, margin);
    }
    return true;
}

/* The row of the patch in line i of rows and line j of columns. */
static const float *crop_row(const fp_crops *c, size_t i, size_t j)
{
    const size_t y = c->line[0][i], x = c->line[1][j];
    const size_t crop = y / c->side * c->n_columns + x / c->side, frame = 1 + crop;
    return c->x + ((frame * c->side + y % c->side) * c->side + x % c->side) * c->width;
}

/* The end of a part, which has one line at least. */
static size_t end_of(const size_t *begin, size_t i)
{
    return begin[i + 1] > begin[i] ? begin[i + 1] : begin[i] + 1;
}

void fp_crops_row(const fp_crops *c, size_t token, float *y)
{
    const size_t row = token / c->side, column = token % c->side;
    memcpy(y, c->x + token * c->width, c->width * sizeof *y);
    if (c->n_columns == 0) {
        memcpy(y + c->width, y, c->width * sizeof *y);
        return;
    }
    const size_t top = c->begin[0][row], bottom = end_of(c->begin[0], row);
    const size_t left = c->begin[1][column], right = end_of(c->begin[1], column);
    for (size_t d = 0; d < c->width; d++) {
        double sum = 0;
        for (size_t i = top; i < bottom; i++)
            for (size_t j = left; j < right; j++) sum += (double)crop_row(c, i, j)[d];
        y[c->width + d] = (float)(sum / (double)((bottom - top) * (right - left)));
    }
}
