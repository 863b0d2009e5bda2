/* One layer of a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TOWER_LAYER_H
#define REF_TOWER_LAYER_H

#include "ref/ops.h"
#include "ref/patches.h"
#include "ref/tile_rows.h"

/* What all layers of a tower read. cosine, sine: [P, dim / 2], of the tower's rope; NULL without one. */
typedef struct ref_tower_pass {
    const plan_tower *tower;
    const ref_patches *patches;
    const double *cosine, *sine;
    const ref_tile_rows *tiles; /* in place of patches, where the tower has tiles; NULL: it has none */
} ref_tower_pass;

/* Computes a layer in place. x: [P, D]. Fails with ASSAY_ENOMEM. */
assay_status ref_tower_layer(const ref_tower_pass *pass, const plan_tower_layer *layer, ref_real *x);

#endif
