/* The log-probabilities that the oracle answers with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_ORACLE_ROWS_H
#define CONFORMANCE_PROBE_TESTS_ORACLE_ROWS_H

#include <json-c/json.h>

#include "conformance/probe/answer/answer.h"
#include "conformance/probe/tests/oracle_answer.h"

enum { ORACLE_TOKENS_MOST = 128, ORACLE_STOPS_MOST = 4 };

/* A request under way. */
typedef struct asked {
    const oracle *o;
    probe_endpoint endpoint;
    const char *path;
    assay_text body;
    json_object *request;
    const probe_prompt *prompt;
    size_t n_before; /* ids of the prompt that were sent */
    int32_t tokens[ORACLE_TOKENS_MOST];
    size_t n_tokens, limit, top;
    bool logprobs, prompt_logprobs, streams;
    assay_text stops[ORACLE_STOPS_MOST];
    size_t n_stops;
    const oracle_out *out;
    bool gone;
} asked;

/* The row of token `id` after n_before ids, with a->top alternatives, which the caller frees. */
assay_logprobs oracle_row(const asked *a, size_t n_before, int32_t id);

/* The rows [a->n_before] of the prompt's tokens; the caller frees them and their alternatives. */
assay_logprobs *oracle_prompt_rows(const asked *a);

#endif
