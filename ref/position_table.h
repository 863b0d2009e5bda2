/* Learned positions of patches: a square table, resampled to the grid of each image, or one table an axis.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_POSITION_TABLE_H
#define REF_POSITION_TABLE_H

#include "ref/ops.h"
#include "ref/patches.h"

/* The entries of a table that one place on an axis reads, and the weight of each. */
typedef struct ref_taps {
    size_t n;
    size_t index[4];
    double weight[4];
} ref_taps;

/* The taps of place i of n on an axis of the table, which is bilinear or bicubic (plan_table). */
ref_taps ref_table_taps(const plan_table *table, size_t i, size_t n);

/* x += table(each patch's row and column). x: [P, D]. Nothing for PLAN_TABLE_NONE. With PLAN_TABLE_AXES every
 * row and column is below table->side. hidden: D. Fails with ASSAY_ENOMEM. */
assay_status ref_table_add(ref_real *x, const ref_patches *patches, const plan_table *table, size_t hidden);

#endif
