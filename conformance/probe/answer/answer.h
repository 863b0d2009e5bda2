/* What an answer of an endpoint says, whether it came whole or as a stream of events.
 *
 * Reading is lenient: what is missing or of another type is left out here, and named by the checks of the
 * protocol.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_ANSWER_ANSWER_H
#define CONFORMANCE_PROBE_ANSWER_ANSWER_H

#include "conformance/probe/answer/form.h"
#include "conformance/probe/wire/exchange.h"

/* "completions", "chat", … */
const char *probe_endpoint_name(probe_endpoint e);
/* "/v1/completions", … */
const char *probe_endpoint_path(probe_endpoint e);

/* Reads the body of an answer; a stream if its content type is that of server-sent events. Fails with
 * ASSAY_ENOMEM only. The caller frees *out with probe_answer_free. */
assay_status probe_answer_read(probe_endpoint endpoint, const probe_exchange *x, probe_answer *out);
/* Reads a choice by its number; the function above reads the first one. */
assay_status probe_answer_read_choice(probe_endpoint endpoint, const probe_exchange *x, size_t choice,
                                      probe_answer *out);
void probe_answer_free(probe_answer *answer);

/* Whether an answer is a stream of events. */
bool probe_answer_is_stream(const probe_exchange *x);

/* How the finish reads in terms common to all endpoints. */
typedef enum probe_finish {
    PROBE_FINISH_NONE,
    PROBE_FINISH_STOP,
    PROBE_FINISH_LENGTH,
    PROBE_FINISH_CALLS,
    PROBE_FINISH_OTHER
} probe_finish;
probe_finish probe_answer_finish(const probe_answer *answer);

#endif
