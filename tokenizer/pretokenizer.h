/* The pre_tokenizer of a tokenizer.json: how a normalised text is cut into words.
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

/* Opens the member; one that is absent or null leaves a text whole. The caller owns *out. */
assay_status tokenizer_pretokenizer_open(const tokenizer_place *p, tokenizer_pretokenizer **out,
                                         assay_error *err);
void tokenizer_pretokenizer_free(tokenizer_pretokenizer *p);

/* Whether the last thing it does is writing bytes as characters. */
bool tokenizer_pretokenizer_ends_in_bytes(const tokenizer_pretokenizer *p);
/* Leaves that out: words are then bytes. Before the first run. */
void tokenizer_pretokenizer_leave_bytes(tokenizer_pretokenizer *p);

#endif
