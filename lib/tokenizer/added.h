/* The added_tokens of a tokenizer.json: tokens that are split off a text before the pre-tokeniser runs.
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

/* Reads the member p, which may be absent. As in Hugging Face's tokenizers, an added token takes the id
 * that the vocabulary has for its text, otherwise the next free id after the vocabulary; the id in the
 * file is ignored. Tokens with "normalized": true are normalised with `normalizer`. The caller owns
 * *out. ASSAY_EFORMAT, ASSAY_EUNSUPPORTED, ASSAY_ENOMEM. */
assay_status tokenizer_added_open(const tokenizer_place *p, const tokenizer_vocab *vocab,
                                  const tokenizer_normalizer *normalizer, tokenizer_normalizing *work,
                                  tokenizer_added **out, assay_error *err);
void tokenizer_added_free(tokenizer_added *a);

/* The text of an added token as decoders see it (normalised if "normalized" is true), borrowed; *n: its
 * length in bytes. NULL if no added token has this id. */
const char *tokenizer_added_text(const tokenizer_added *a, int32_t id, size_t *n);
/* The id of the added token with this text, or -1. */
int32_t tokenizer_added_find(const tokenizer_added *a, const char *text, size_t n);
/* Whether a special added token has this text, which may also be that of a vocabulary token. */
bool tokenizer_added_is_special(const tokenizer_added *a, const char *text, size_t n);

/* Receives the part [from, to) of a text: the added token `id`, or ordinary text if id is -1. */
typedef assay_status tokenizer_part_sink(void *context, size_t from, size_t to, int32_t id, assay_error *err);

/* Splits text[0..n) at added tokens, only at those whose "normalized" equals `normalized`. Of several
 * tokens that match at one offset the longest is taken. Passes all parts to the sink, from left to
 * right. */
assay_status tokenizer_added_split(const tokenizer_added *a, bool normalized, const char *text, size_t n,
                                   tokenizer_part_sink *sink, void *context, assay_error *err);

#endif
