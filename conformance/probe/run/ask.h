/* Requests: a prompt of the truth, as each endpoint takes it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_ASK_H
#define CONFORMANCE_PROBE_RUN_ASK_H

#include "conformance/probe/run/run.h"

/* n_before: of a completion, the tokens of prompt->ids that are its prompt; 0: those of the prompt.
 * logprobs: how many alternatives of each token; SIZE_MAX: none, and no log-probabilities.
 * more: a JSON object whose members are added, and replace others; NULL: none. A member null is removed.
 * max_tokens: fewer are asked for where the model has no position for more. usage: a stream reports it.
 * sampled: temperature 1 instead of 0. */
typedef struct probe_ask {
    probe_endpoint endpoint;
    const probe_prompt *prompt;
    size_t n_before, max_tokens, logprobs;
    bool stream, usage, sampled;
    const char *more;
} probe_ask;

#define PROBE_NO_LOGPROBS SIZE_MAX

/* How many ids of a prompt leave the server a position for a token after them. */
size_t probe_ids_most(const probe_run *r, const probe_prompt *p);

/* Whether an endpoint can be asked this prompt: as a request, and with the positions for its answer. */
bool probe_can_ask(const probe_run *r, probe_endpoint endpoint, const probe_prompt *p);

/* Makes the exchange of a request. Fails with ASSAY_ENOMEM. Free *x with probe_exchange_free. */
assay_status probe_ask_begin(const probe_run *r, const probe_ask *ask, const char *label, probe_exchange *x,
                             assay_error *err);

/* Makes the exchange, sends it, and reads its answer. Both are freed by the caller, also after a failure. */
assay_status probe_ask_send(probe_run *r, const probe_ask *ask, const char *label, probe_exchange *x,
                            probe_answer *a, assay_error *err);

#endif
