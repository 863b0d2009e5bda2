/* From pixels to the input of a tower's first layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_PATCHES_H
#define FASTPATH_TOWER_PATCHES_H

#include "fastpath/tower/pass.h"

/* Both for `n` rows from `first` on; x: [n, D]; fail with ASSAY_ENOMEM. The product of their pixels, then
 * norm and position. */
assay_status fp_patches_embed(fp_tower_pass *v, size_t first, size_t n, float *x);
assay_status fp_patches_place(fp_tower_pass *v, size_t first, size_t n, float *x);

#endif
