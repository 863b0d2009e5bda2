/* What a plan derives from its numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_ARRAYS_H
#define MODEL_PLAN_ARRAYS_H

#include "model/plan/plan.h"

/* Defers the tables of p's ropes among p's arrays. Fails with ASSAY_ENOMEM. */
assay_status plan_derive(plan *p, assay_error *err);

#endif
