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
#define PROBE_STEPS_MAX ((size_t)1 << 16)

/* begins_empty: in a stream of Messages, the call began with the input {}, which it keeps if no JSON follows.
 */
typedef struct probe_call {
    buffer id, name, arguments;
    bool begins_empty;
} probe_call;

/* What an answer had delivered after one of its events: bytes of texts, and rows of log-probabilities. */
typedef struct probe_step {
    size_t content, reasoning, rows;
} probe_step;

/* Of one choice. finish: in the words of the protocol; "" if none. input, output: the reported numbers
 * of tokens; cached: those of the input that came from a prompt cache; -1: not reported. input contains
 * cached, also for Messages, which report them apart. thoughts: the reported tokens of reasoning; -1: not
 * reported. stop: the stop text that the answer names; "" if none. */
typedef struct probe_answer {
    buffer content, reasoning;
    probe_call *calls; /* [n_calls] */
    size_t n_calls;
    char finish[32];
    char model[256];
    bool has_error;  /* the answer has an error */
    char error[256]; /* its message, which may be empty */
    char stop[128];
    size_t choice, n_choices; /* choice: the one that is read */
    int64_t input, output, cached, thoughts;
    probe_rows rows;        /* of the generated tokens; with echo the prompt's come first */
    probe_rows prompt_rows; /* of prompt_logprobs */
    int32_t *token_ids;     /* [n_token_ids], of the generated tokens, where the answer has them */
    size_t n_token_ids;
    int32_t *prompt_ids; /* [n_prompt_ids] */
    size_t n_prompt_ids;
    probe_step *steps; /* [n_steps], of a stream */
    size_t n_steps;
    char problem[256]; /* why the body could not be read; "" if it could */
} probe_answer;

#endif
