/* From a recorded prompt to the chat request whose prompt it is: the chat template of the checkpoint,
 * rendered with the request, must give the recorded token ids.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_CHAT_H
#define CONFORMANCE_PROBE_TRUTH_CHAT_H

#include <json-c/json.h>

#include "conformance/probe/truth/vocab.h"

typedef enum probe_thinking {
    PROBE_THINKING_UNSET,
    PROBE_THINKING_OFF,
    PROBE_THINKING_ON,
    PROBE_N_THINKING
} probe_thinking;

typedef struct probe_chat probe_chat;

/* Opens the chat template of the checkpoint `dir`, and reads the requests that are known for its prompts:
 * those of requests.json in `cases`, the directory of the cases, if there is one. *out is NULL, with
 * ASSAY_OK, if the checkpoint has no template. Fails as serve_chat_source_find, serve_chat_special_read and
 * json_read do. */
assay_status probe_chat_open(const char *dir, const char *cases, probe_chat **out, assay_error *err);
void probe_chat_free(probe_chat *chat);

/* A recorded prompt. text: of its ids [n]. file: the name of its case, "turns.h5". */
typedef struct probe_recorded {
    const char *file;
    size_t sample;
    assay_text text;
    const int32_t *ids;
    size_t n;
} probe_recorded;

/* Sets *request to the request whose prompt this is, which the caller owns: an object with messages, and
 * perhaps tools; NULL, with ASSAY_OK, if none is found. *thinking: what enable_thinking must be, unset if
 * that makes no difference; *implied: the template also gives the prompt without it; *thinks: whether it is
 * on. Fails with ASSAY_ENOMEM. */
assay_status probe_chat_request(const probe_chat *chat, const probe_vocab *vocab,
                                const probe_recorded *prompt, json_object **request, probe_thinking *thinking,
                                bool *implied, bool *thinks, assay_error *err);

/* Renders a request, and sets *ids [*n] to the tokens of its prompt, which the caller frees; special: with
 * the tokens that the tokenizer adds. Fails with ASSAY_EFORMAT if the template refuses the request, or as
 * probe_vocab_encode does. */
assay_status probe_chat_encode(const probe_chat *chat, const probe_vocab *vocab, json_object *request,
                               probe_thinking thinking, bool special, int32_t **ids, size_t *n,
                               assay_error *err);

/* The parsers of replies whose markers are single tokens of the vocabulary; NULL: none. */
void probe_chat_parsers(const probe_vocab *vocab, const char **reasoning, const char **tools);

#endif
