/* A tokenizer.json as Hugging Face's tokenizers publishes and reads it: ids of text, and text of ids.
 *
 * What tokenizers 0.23.3 makes of a text is what comes out here, id by id, and so for the text of ids.
 * Whatever a file asks for that is not implemented is refused by the name of its place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TOKENIZER_H
#define TOKENIZER_TOKENIZER_H

#include <assay/status.h>

#include "base/buffer.h"
#include "tokenizer/models/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Immutable once opened: any thread may use it at any time. */
typedef struct tokenizer tokenizer;

/* Opens DIR/tokenizer.json. The caller owns *out. ASSAY_EIO; ASSAY_EFORMAT; ASSAY_EUNSUPPORTED. */
assay_status tokenizer_open(const char *dir, tokenizer **out, assay_error *err);
void tokenizer_free(tokenizer *t);

/* The id of a token by its text, added tokens first; -1 where there is none. */
int32_t tokenizer_id_of(const tokenizer *t, const char *text, size_t n);

/* The text of an id as decoders see it, not terminated, borrowed; NULL where the id means nothing. */
const char *tokenizer_text_of(const tokenizer *t, int32_t id, size_t *n);

/* Whether decoding leaves it out where special tokens are skipped. */
bool tokenizer_is_special(const tokenizer *t, int32_t id);

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

/* Decodes ids[0..n) and puts the text, valid UTF-8, into *out, which is emptied first. An id that means
 * nothing has no text, as published. ASSAY_EINVAL for a negative one; ASSAY_ENOMEM; ASSAY_EUNSUPPORTED as
 * above. */
assay_status tokenizer_decode(const tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                              buffer *out, assay_error *err);

#endif
