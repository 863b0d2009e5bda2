/* Whether the numbers of an item are finite.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_FINITE_H
#define MODEL_INPUTS_ITEM_FINITE_H

#include "model/inputs/item_content.h"

/* A number that is not finite. */
typedef struct item_infinite {
    size_t row, column;
    double value;
} item_infinite;

/* Finds the first number of content->pixels that is not finite; false: all are. The pixels are [n_rows,
 * width], each row `pitch` numbers after the one before it. */
bool item_find_infinite(const item_content *content, size_t n_rows, size_t width, size_t pitch,
                        item_infinite *found);

#endif
