/* The layouts and tables of stored matrices: each distinct one is kept once, since a model has many matrices
 * of few layouts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NUMERICS_LAYOUTS_H
#define MODEL_NUMERICS_LAYOUTS_H

#include <assay/stored.h>

typedef struct layout_list layout_list;

layout_list *layouts_open(void); /* NULL: out of memory */
void layouts_free(layout_list *all);

/* The kept copy of a layout, or of a table of n <= 256 doubles; it lives until layouts_free. NULL: out of
 * memory. */
const assay_layout *layouts_keep(layout_list *all, const assay_layout *layout);
const double *layouts_keep_table(layout_list *all, const double *table, size_t n);

#endif
