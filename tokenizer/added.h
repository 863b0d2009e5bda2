/* The added_tokens of a tokenizer.json: tokens that are found in a text before anything cuts it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_ADDED_H
#define TOKENIZER_ADDED_H

#include <assay/status.h>

#include "tokenizer/models/vocab.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/text/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Immutable once opened. */
typedef struct tokenizer_added tokenizer_added;

/* Opens the member, which may be absent. As the publisher does, a token has the id of the model's token of
 * that text, or else the next one behind them; the file's own id is not asked. `normalizer` is run over the
 * tokens that are to be found in normalised text. */
assay_status tokenizer_added_open(const tokenizer_place *p, const tokenizer_vocab *vocab,
                                  const tokenizer_normalizer *normalizer, tokenizer_normalizing *work,
                                  tokenizer_added **out, assay_error *err);
void tokenizer_added_free(tokenizer_added *a);

/* The text of an added token, as decoders see it; NULL where the id is none of theirs. */
const char *tokenizer_added_text(const tokenizer_added *a, int32_t id, size_t *n);
/* The id of an added token by its text, or -1. */
int32_t tokenizer_added_find(const tokenizer_added *a, const char *text, size_t n);
/* Whether a text is that of a special token, whoever's token it is. */
bool tokenizer_added_is_special(const tokenizer_added *a, const char *text, size_t n);

/* A part of a text: a token, or, where id is -1, what is none. */
typedef assay_status tokenizer_part_sink(void *context, size_t from, size_t to, int32_t id, assay_error *err);

/* Finds tokens in text[0..n): those that are to be found in normalised text, or the others. Of those that
 * begin at one place the longest counts. Hands all parts to the sink, from left to right. */
assay_status tokenizer_added_split(const tokenizer_added *a, bool normalized, const char *text, size_t n,
                                   tokenizer_part_sink *sink, void *context, assay_error *err);

#endif
