/* The bytes that each token of a vocabulary adds to a text, for logprobs.
 *
 * The text is that of the token after other tokens, as the decoder writes it: with the space that begins a
 * word, for example. A token of a byte-level or byte-fallback tokenizer that is a part of a character has the
 * bytes that it stands for, which are not UTF-8.
 *
 * Texts are made when they are first asked for; one thread uses an object at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_TOKEN_TEXT_H
#define SERVER_EVALUATE_TOKEN_TEXT_H

#include "server/job/model.h"

typedef struct server_token_texts server_token_texts;

/* model: borrowed until server_token_texts_free. Fails as the tokenizer does. */
assay_status server_token_texts_open(const server_model *model, server_token_texts **out, assay_error *err);
void server_token_texts_free(server_token_texts *t);

/* The text of a token of the model's vocabulary, which lives as long as t; an empty one for an id without a
 * token. *out is untouched on failure: of the tokenizer, or ASSAY_ENOMEM. */
assay_status server_token_text(server_token_texts *t, int32_t id, assay_text *out, assay_error *err);

#endif
