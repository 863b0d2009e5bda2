/* Learned positions of patches: tables resampled to a frame, or one for each axis.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_VISION_TABLE_H
#define FASTPATH_VISION_TABLE_H

#include "fastpath/model.h"
#include "fastpath/vision/layout.h"

/* out = the table at a patch's place; see plan_table. out: [D]. row: scratch, [D]. The table must be present;
 * with PLAN_TABLE_AXES the patch must lie within its sides. */
void fp_table_read(const fp_model *m, const fp_frame *frame, const fp_patch *patch, float *out, float *row);

#endif
