/* Checks what a caller asks of one sample in one step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_STEP_H
#define REF_STEP_H

#include <assay/engine.h>

#include "model/plan/plan.h"

/* n_before: number of tokens that the sample has. Accepts at most one output, logits. Fails with ASSAY_EINVAL
 * or ASSAY_EUNSUPPORTED as assay_engine.step does; whether the session has the sample is not checked. */
assay_status ref_step_check(const plan *p, const assay_step *step, size_t n_before, assay_error *err);

#endif
