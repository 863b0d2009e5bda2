/* Checks a tower: see shapes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_SHAPES_TOWER_H
#define MODEL_PLAN_SHAPES_TOWER_H

#include "model/plan/checker.h"

/* whole: gives the plan and the visitor. Fails with ASSAY_EFORMAT if a part of a tower of the plan, which is
 * present, does not fit what it is applied to: the width of the tower, the rows of pixels, the merged
 * patches, the hidden size of the language model. */
assay_status plan_check_tower(const checker *whole, const plan_tower *t);

#endif
