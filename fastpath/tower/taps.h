/* The places of a table of learned positions that a patch reads along one axis, and their weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_TAPS_H
#define FASTPATH_TOWER_TAPS_H

#include "model/plan/tower.h"

enum { FP_TAPS_MAX = 4 };

typedef struct fp_taps {
    size_t n, at[FP_TAPS_MAX]; /* below the table's side */
    float weight[FP_TAPS_MAX];
} fp_taps;

/* Those of patch i of n, of a bilinear or bicubic table: see plan_table. */
fp_taps fp_taps_find(const plan_table *t, size_t i, size_t n);

#endif
