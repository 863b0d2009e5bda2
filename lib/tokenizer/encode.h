/* Encoding: text to token ids.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_ENCODE_H
#define TOKENIZER_ENCODE_H

#include "tokenizer/tokenizer.h"

/* Encoding state of one thread: working memory and a cache of encoded words. t is borrowed until
 * tokenizer_encoder_free. */
typedef struct tokenizer_encoder tokenizer_encoder;
assay_status tokenizer_encoder_open(const tokenizer *t, tokenizer_encoder **out, assay_error *err);
void tokenizer_encoder_free(tokenizer_encoder *e);

/* Encodes text[0..n), n < 2^31, into *out, which is emptied first. Special tokens within the text are
 * always recognised; add_special: also insert the ids that the post-processor adds. Each maximal
 * subpart of an invalid UTF-8 sequence (utf8.h) counts as one U+FFFD, as in published servers and
 * Python's errors="replace". ASSAY_EINVAL if the text is too long; ASSAY_ENOMEM; ASSAY_EFORMAT if the
 * text needs the unknown token and the vocabulary lacks it; ASSAY_EUNSUPPORTED if a regular expression
 * exceeds its step limit or the text grows too much. */
assay_status tokenizer_encode_with(tokenizer_encoder *e, const char *text, size_t n, bool add_special,
                                   tokenizer_ids *out, assay_error *err);

/* The same with a temporary encoder. */
assay_status tokenizer_encode(const tokenizer *t, const char *text, size_t n, bool add_special,
                              tokenizer_ids *out, assay_error *err);

#endif
