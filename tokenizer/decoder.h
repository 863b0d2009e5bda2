/* The decoder of a tokenizer.json: text of tokens.
 *
 * Implemented are BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, Replace, Sequence, Strip and
 * WordPiece, as tokenizers 0.23.3 has them; without a decoder tokens are joined with spaces.
 *
 * Tokens go through one after the other, and what is certain comes out at once: so a stream and a whole text
 * are decoded by the same code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_DECODER_H
#define TOKENIZER_DECODER_H

#include <assay/status.h>

#include "base/buffer.h"
#include "tokenizer/text/place.h"

#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_decoder tokenizer_decoder;

/* Opens the member, which may be absent. The caller owns *out. */
assay_status tokenizer_decoder_open(const tokenizer_place *p, tokenizer_decoder **out, assay_error *err);
void tokenizer_decoder_free(tokenizer_decoder *d);

/* Decoding under way. */
typedef struct tokenizer_decoding tokenizer_decoding;

/* Begins; d is borrowed until tokenizer_decoding_free. ASSAY_ENOMEM. */
assay_status tokenizer_decoding_open(const tokenizer_decoder *d, tokenizer_decoding **out, assay_error *err);
void tokenizer_decoding_free(tokenizer_decoding *g);

/* Gives it the next token, text[0..n), and appends to out what is certain by then. ASSAY_ENOMEM, and
 * ASSAY_EUNSUPPORTED where an expression takes too many steps. */
assay_status tokenizer_decoding_push(tokenizer_decoding *g, const char *text, size_t n, buffer *out,
                                     assay_error *err);
/* Appends the rest. Then it may only be freed. */
assay_status tokenizer_decoding_end(tokenizer_decoding *g, buffer *out, assay_error *err);

#endif
