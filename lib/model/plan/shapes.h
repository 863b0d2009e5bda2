/* Whether the parts of a plan fit together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_SHAPES_H
#define MODEL_PLAN_SHAPES_H

#include "model/plan/plan.h"

/* Checks the width of every norm and the shape of every matrix and vector against what it is applied to; the
 * head sizes of ropes against those of their layers; and the heads of a layer that reads another layer's keys
 * against those of that layer. The binder has checked each tensor of the checkpoint against the shape that a
 * family asked for: this check finds a family that asked for the wrong one. Fails with ASSAY_EFORMAT, and
 * names the part, its tensor, and both shapes. */
assay_status plan_check_shapes(const plan *p, assay_error *err);

/* Calls visit for every weight of a plan that has been checked, in a fixed order. */
void plan_visit_weights(const plan *p, plan_visit_fn *visit, void *context);

#endif
