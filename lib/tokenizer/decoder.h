/* The decoder of a tokenizer.json: turns tokens into text.
 *
 * Implemented are BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, Replace, Sequence, Strip
 * and WordPiece, as tokenizers 0.23.3 has them; without a decoder tokens are joined with spaces.
 *
 * Decoding is incremental: text is output as soon as later tokens cannot change it. Streams and whole
 * texts are decoded by the same code.
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

/* Reads the member p, which may be absent. The caller owns *out. */
assay_status tokenizer_decoder_open(const tokenizer_place *p, tokenizer_decoder **out, assay_error *err);
void tokenizer_decoder_free(tokenizer_decoder *d);

/* The state of decoding one sequence of tokens. */
typedef struct tokenizer_decoding tokenizer_decoding;

/* Starts decoding; d is borrowed until tokenizer_decoding_free. The caller owns *out. ASSAY_ENOMEM. */
assay_status tokenizer_decoding_open(const tokenizer_decoder *d, tokenizer_decoding **out, assay_error *err);
void tokenizer_decoding_free(tokenizer_decoding *g);

/* Decodes the next token, text[0..n), and appends to out the text that later tokens cannot change.
 * ASSAY_ENOMEM; ASSAY_EUNSUPPORTED if a regular expression exceeds its step limit or the text grows too
 * much. */
assay_status tokenizer_decoding_push(tokenizer_decoding *g, const char *text, size_t n, buffer *out,
                                     assay_error *err);
/* Appends the remaining text. Afterwards g may only be freed. */
assay_status tokenizer_decoding_end(tokenizer_decoding *g, buffer *out, assay_error *err);

#endif
