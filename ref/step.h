/* Checks what a caller asks of one sample in one step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_STEP_H
#define REF_STEP_H

#include <assay/engine.h>

#include "model/plan/plan.h"
#include "ref/sample.h"

/* n_before: number of tokens that the sample has. next: the position of the next token if the step gives
 * none. Accepts at most one output, logits. Fails with ASSAY_EINVAL or ASSAY_EUNSUPPORTED as
 * assay_engine.step does; whether the session has the sample is not checked, and of items only that they are
 * not NULL: see ref_sample_extend. */
assay_status ref_step_check(const plan *p, const assay_step *step, size_t n_before, size_t next,
                            assay_error *err);

/* Fails with ASSAY_EUNSUPPORTED if the step's first token continues a block of the sample: its earlier tokens
 * were evaluated without the later ones. The step has been checked. */
assay_status ref_step_check_block(const plan *p, const assay_step *step, const ref_sample *sample,
                                  assay_error *err);

/* assay_engine.positions; an item may have its grid alone, without pixels. With one axis, out is the first of
 * them all. Fails as assay_engine.step does for the tokens and items of a step, and with ASSAY_EINVAL unless
 * n_axes is 1 or plan_n_axes. */
assay_status ref_step_positions(const plan *p, const assay_step *step, int32_t *out, int32_t *delta,
                                assay_error *err);

#endif
