/* Sessions whose calls are checked against the promises of assay/engine.h: inputs lie on read-only pages,
 * outputs end at an inaccessible page, and the pages of earlier calls are inaccessible.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_WATCH_H
#define CONFORMANCE_REPLAY_WATCH_H

#include "conformance/abi/step.h"
#include "conformance/replay/state.h"

typedef struct conf_watch conf_watch;

/* Opens a session with n_samples samples and the cache limit of the case, and with the tap of r->follow.
 * NULL, with the verdict of the replay set, on failure. r: borrowed until conf_watch_free. */
conf_watch *conf_watch_open(conf_replay *r, size_t n_samples);
void conf_watch_free(conf_watch *w);

assay_session *conf_watch_session(const conf_watch *w);
const assay_engine *conf_watch_engine(const conf_watch *w);
assay_model *conf_watch_model(const conf_watch *w);
conf_verdict *conf_watch_verdict(const conf_watch *w);

/* Calls the engine's step. Sets steps[i].logits to the rows that the engine has written, valid until the next
 * call of a function of w. False, with the verdict set, if the call failed or broke a promise. */
bool conf_watch_step(conf_watch *w, conf_sample_step *steps, size_t n, size_t padded_width);

/* The same call, which must fail with `status`: with ASSAY_EINVAL for a token outside the vocabulary, or with
 * ASSAY_ESTOPPED because a tap stopped it. what: "a step with token -1", for messages. */
bool conf_watch_step_fails(conf_watch *w, conf_sample_step *steps, size_t n, size_t padded_width,
                           assay_status status, const char *what);

#endif
