/* The crops of an image, joined (plan_crops).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_CROPS_H
#define FASTPATH_TOWER_CROPS_H

#include <stdbool.h>

#include "fastpath/scratch.h"

/* One image: x [1 + rows · columns, side², width], the whole image, then its crops row by row. The arrays are
 * those of one axis each, in the scratch: the patch of each line of the joined crops, counted over the crops
 * of that axis, and the first line of each part, of which there are side, and the end of the last. */
typedef struct fp_crops {
    const float *x;
    size_t side, width;
    size_t n_columns;           /* of crops; 0: there are none */
    size_t *line[2], *begin[2]; /* of rows, of columns */
} fp_crops;

/* layout: rows and columns of crops; 2 · margin < side. False if out of memory. */
bool fp_crops_open(fp_crops *c, fp_scratch *scratch, const float *x, size_t side, size_t width,
                   const size_t layout[2], size_t margin);

/* Fills in the row of patch `token` of the grid: that of the whole image, and that of the crops. y: [2 ·
 * width].
 */
void fp_crops_row(const fp_crops *c, size_t token, float *y);

#endif
