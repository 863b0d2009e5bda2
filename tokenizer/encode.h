/* Encoding: token ids of a text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_ENCODE_H
#define TOKENIZER_ENCODE_H

#include "tokenizer/tokenizer.h"

/* What one thread needs in order to encode: room to work in, and the words that it has met. t is borrowed
 * until tokenizer_encoder_free. */
typedef struct tokenizer_encoder tokenizer_encoder;
assay_status tokenizer_encoder_open(const tokenizer *t, tokenizer_encoder **out, assay_error *err);
void tokenizer_encoder_free(tokenizer_encoder *e);

/* Encodes text[0..n), n < 2^31, and puts its ids into *out, which is emptied first. Special tokens within the
 * text are found; add_special: what the post-processor adds is added. Bytes that are no UTF-8 count as
 * U+FFFD, once for each maximal subpart (utf8.h), as published servers and Python's errors="replace" have it.
 * ASSAY_EINVAL for a text that is too long; ASSAY_ENOMEM; ASSAY_EFORMAT where the vocabulary lacks the
 * unknown token; ASSAY_EUNSUPPORTED where an expression takes too many steps. */
assay_status tokenizer_encode_with(tokenizer_encoder *e, const char *text, size_t n, bool add_special,
                                   tokenizer_ids *out, assay_error *err);

/* The same with an encoder for this one text. */
assay_status tokenizer_encode(const tokenizer *t, const char *text, size_t n, bool add_special,
                              tokenizer_ids *out, assay_error *err);

#endif
