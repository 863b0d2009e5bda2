/* The rope of a tower: by the row and the column of a patch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_ROPE_H
#define FASTPATH_TOWER_ROPE_H

#include "fastpath/tower/pass.h"

/* Fills in v->cosine and v->sine, taken from the scratch; nothing without a rope. Fails with ASSAY_ENOMEM. */
assay_status fp_tower_ropes(fp_tower_pass *v);

/* Rotates the heads of `n` rows from `first` on in place. x: [n, n_heads, head_dim]. */
void fp_tower_rotate(const fp_tower_pass *v, size_t first, size_t n, size_t n_heads, size_t head_dim,
                     float *x);

#endif
