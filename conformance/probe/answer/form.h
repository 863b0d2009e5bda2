/* The members of an answer, common to all endpoints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_ANSWER_FORM_H
#define CONFORMANCE_PROBE_ANSWER_FORM_H

#include "conformance/probe/answer/logprob.h"

typedef enum probe_endpoint {
    PROBE_COMPLETIONS,
    PROBE_CHAT,
    PROBE_RESPONSES,
    PROBE_MESSAGES,
    PROBE_N_ENDPOINTS
} probe_endpoint;

#define PROBE_CALLS_MAX 64

typedef struct probe_call {
    buffer id, name, arguments;
} probe_call;

/* Of the first choice. finish: in the words of the protocol; "" if none. input, output: the reported numbers
 * of tokens; cached: those of the input that came from a prompt cache; -1: not reported. input contains
 * cached, also for Messages, which report them apart. */
typedef struct probe_answer {
    buffer content, reasoning;
    probe_call *calls; /* [n_calls] */
    size_t n_calls;
    char finish[32];
    char model[256];
    char error[256]; /* the message of an error in the answer; "" if there is none */
    size_t n_choices;
    int64_t input, output, cached;
    probe_rows rows;        /* of the generated tokens; with echo the prompt's come first */
    probe_rows prompt_rows; /* of prompt_logprobs */
    int32_t *token_ids;     /* [n_token_ids], of the generated tokens, where the answer has them */
    size_t n_token_ids;
    char problem[256]; /* why the body could not be read; "" if it could */
} probe_answer;

#endif
