/* The tables that a plan derives from its numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_ARRAYS_H
#define MODEL_PLAN_ARRAYS_H

#include "model/plan/plan.h"

/* Defers the tables of p's ropes and of its tower's among p's arrays. Fails with ASSAY_ENOMEM. */
assay_status plan_derive(plan *p, assay_error *err);

/* Inverse frequencies of rope r for a sequence of that length, [dim / 2]: a table of the plan, or, for a
 * dynamic rope whose length is exceeded, computed in the buffer `scratch`, [dim / 2]. The plan's arrays must
 * be realised. */
const double *plan_frequencies(const plan *p, size_t r, size_t length, double *scratch);

#endif
