/* Learned positions of patches: tables resampled to a frame, or one for each axis.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_TABLE_H
#define FASTPATH_TOWER_TABLE_H

#include "fastpath/model.h"
#include "fastpath/tower/layout.h"

/* out = the table t at a patch's place; see plan_table. table: packed. out: [D]. row: scratch, [D]. The table
 * must have a weight;
 * with PLAN_TABLE_AXES the patch must lie within its sides. */
void fp_table_read(const plan_table *t, const fp_matrix *table, const fp_frame *frame, const fp_patch *patch,
                   float *out, float *row);

#endif
