/* The sessions of the reference engine: functions of its table, as <assay/engine.h> describes them.
 *
 * A session stores only the tokens of its samples, their positions, and their images and videos: every step
 * evaluates the whole sample again, its towers included. A tap receives the rows of the step's own tokens,
 * and those of the images and videos that came with the step; what it writes affects this step only: a later
 * step computes the earlier rows again, as if the tap had not overwritten them. A failed step leaves the data
 * of its outputs unspecified.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_SESSION_H
#define REF_SESSION_H

#include <assay/engine.h>

#include "model/plan/plan.h"

/* p: borrowed, must outlive the session. */
assay_status ref_session_open(const plan *p, const assay_session_options *given, assay_session **out,
                              assay_error *err);
void ref_session_free(assay_session *s);

assay_status ref_session_step(assay_session *s, const assay_step *steps, size_t n,
                              const assay_step_options *given, assay_error *err);

assay_status ref_session_join(assay_session *s, size_t *sample, assay_error *err);
assay_status ref_session_leave(assay_session *s, size_t sample, assay_error *err);
assay_status ref_session_rewind(assay_session *s, size_t sample, size_t n_tokens, assay_error *err);
/* Fails with ASSAY_EINVAL unless both sessions have the same model and limits. */
assay_status ref_session_fork(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                              assay_error *err);

/* A tap whose fn is NULL removes the tap. */
assay_status ref_session_tap(assay_session *s, const assay_tap *given, assay_error *err);

#endif
