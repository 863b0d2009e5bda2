/* A sample that is followed through an evaluation of the batch: its tensors, with the tokens that they belong
 * to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_FOLLOW_H
#define CONFORMANCE_REPLAY_FOLLOW_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>

#include "conformance/abi/step.h"

/* Receives a tensor of a step that has the tokens first … first + n - 1 of the sample, counted from the
 * beginning of its prompt. */
typedef void conf_follow_fn(void *context, size_t first, size_t n, const assay_tensor *tensor);

/* generates: the sample is followed through greedy generation, not through the evaluation before it.
 * The members from `active` on belong to conf_follow_step. */
typedef struct conf_follow {
    size_t sample; /* of the case */
    bool generates;
    conf_follow_fn *fn;
    void *context;
    bool active;             /* the step under way has tokens of the sample */
    size_t number, first, n; /* the sample's number in the session, and its tokens */
} conf_follow;

/* Sets the tap of a session. f: borrowed until the session is closed or gets another tap. */
assay_status conf_follow_tap(conf_follow *f, const assay_engine *engine, assay_session *session,
                             assay_error *err);

/* Before a call: it has no tokens of the sample yet. f may be NULL. */
void conf_follow_begin(conf_follow *f);

/* A step of the call has tokens of this sample of the case, of which n_before came before. generates: the
 * call generates. f may be NULL. */
void conf_follow_step(conf_follow *f, size_t sample, bool generates, size_t n_before,
                      const conf_sample_step *step);

#endif
