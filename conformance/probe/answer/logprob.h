/* Log-probabilities in answers, in every spelling that servers use, as rows of (token, value).
 *
 *     chat form     {"content": [{"token", "logprob", "bytes", "top_logprobs": […]}]}: OpenAI's chat
 *                   completions and Responses; servers of open models add "id" or "token_id"
 *     lists         {"tokens", "token_logprobs", "top_logprobs": [{text: value}]}: OpenAI's completions
 *     by id         [null, {"ID": {"logprob", "rank", "decoded_token"}}]: vLLM's prompt_logprobs
 *     pairs         {"content": [{"id", "logprob"}]}: mlx-lm, without alternatives
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_ANSWER_LOGPROB_H
#define CONFORMANCE_PROBE_ANSWER_LOGPROB_H

#include <assay/status.h>

#include <json-c/json.h>

#include "base/buffer.h"

#define PROBE_ROWS_MAX    ((size_t)1 << 16)
#define PROBE_ENTRIES_MAX ((size_t)1 << 22) /* of an answer */

/* id: -1 if the answer gives none. text: what the answer calls the token: its bytes if it gives them, else
 * its text; .at NULL: neither. token: its text, also where the answer gives its bytes. Borrowed from the
 * rows. is_null: the value is null or missing. */
typedef struct probe_entry {
    int32_t id;
    assay_text text, token;
    size_t rank; /* from 1 on; 0: not given */
    double value;
    bool is_null;
} probe_entry;

/* The row of one token: the token itself, and the alternatives, in the order of the answer. The row of a
 * prompt's first token has neither. by_text: the alternatives are members of an object, named by their texts:
 * of tokens with the same text there is only one. */
typedef struct probe_row {
    probe_entry token;
    bool has_token, by_text;
    int64_t offset;    /* in characters, of the text; -1: not given */
    size_t top, n_top; /* top[n_top] in probe_rows.entries */
} probe_row;

typedef struct probe_rows {
    probe_row *at; /* [n] */
    size_t n;
    probe_entry *entries; /* [n_entries] */
    size_t n_entries;
    json_object *source; /* owned: texts are borrowed from it */
    char **bytes;        /* [n_bytes], owned: texts that the answer gives as lists of bytes */
    size_t n_bytes;
    char problem[256]; /* the first value that has no known form; "" if there is none */
} probe_rows;

/* Appends the rows of a value of `logprobs` (of a choice, or of a part of an output) or `prompt_logprobs`;
 * rows->source holds a reference to it from then on. Rows that cannot be read are named in rows->problem.
 * ASSAY_ENOMEM. */
assay_status probe_rows_read(json_object *value, probe_rows *rows);
void probe_rows_free(probe_rows *rows);

#endif
