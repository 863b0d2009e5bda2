/* Runs the steps of the engine ABI as steps of a session. A sample's number is its slot.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_STEPS_H
#define FASTPATH_SESSION_STEPS_H

#include "fastpath/session/session.h"

/* The translated steps of the latest call, kept so that decoding allocates nothing; zero-initialised. */
typedef struct fp_steps {
    fp_step *step; /* [capacity] */
    size_t capacity;
} fp_steps;

void fp_steps_free(fp_steps *s);

/* assay_engine.step (see assay/engine.h): outputs are written in place. padded_width has no effect, since no
 * row of padding is ever evaluated; it must be 0 or at least the number of tokens of each step. Fails as
 * fp_session_step does, with ASSAY_EINVAL for an invalid output, n_axes or padded_width, and with
 * ASSAY_EUNSUPPORTED for outputs other than "logits". s: of this session alone. tracer: as in
 * fp_session_step. */
assay_status fp_steps_run(fp_steps *s, fp_session *session, const assay_step *steps, size_t n,
                          size_t padded_width, const fp_tracer *tracer, assay_error *err);

/* assay_engine.positions: see positions_fill; items need no pixels. Fails with ASSAY_EINVAL for an invalid
 * token or unless n_axes is 1 or plan_n_axes, as media_list_add does, or with ASSAY_ENOMEM. */
assay_status fp_steps_positions(const plan *p, const assay_step *step, int32_t *out, int32_t *delta,
                                assay_error *err);

#endif
