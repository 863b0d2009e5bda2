/* Which rows of a tower for tiles are padding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TILE_ROWS_H
#define REF_TILE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* The rows of all images: of each its T tiles, of each tile its L rows (model/plan/tiles.h). Row i is padding
 * if is_padding[i]. */
typedef struct ref_tile_rows {
    size_t n_images, n_each; /* rows of an image, T·L */
    bool *is_padding;        /* [n_images · n_each], owned */
} ref_tile_rows;

#endif
