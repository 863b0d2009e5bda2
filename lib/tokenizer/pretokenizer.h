/* The pre_tokenizer of a tokenizer.json: splits a normalised text into words.
 *
 * Implemented are BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace,
 * Punctuation, Sequence, Split, Whitespace and WhitespaceSplit, as tokenizers 0.23.3 has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_PRETOKENIZER_H
#define TOKENIZER_PRETOKENIZER_H

#include <assay/status.h>

#include "tokenizer/stage.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads the member p; if it is absent or null, a text is a single word. The caller owns *out. */
assay_status tokenizer_pretokenizer_open(const tokenizer_place *p, tokenizer_pretokenizer **out,
                                         assay_error *err);
void tokenizer_pretokenizer_free(tokenizer_pretokenizer *p);

/* Whether the last stage is the byte-level mapping of bytes to characters
 * (tokenizer/models/bytes.h). */
bool tokenizer_pretokenizer_ends_in_bytes(const tokenizer_pretokenizer *p);
/* Removes that last stage, if it is there: words are then passed on as raw bytes. Must be called before
 * the first run. */
void tokenizer_pretokenizer_drop_byte_stage(tokenizer_pretokenizer *p);

#endif
