/* The pre_tokenizer of a tokenizer.json: how a normalised text is cut into words.
 *
 * Implemented are BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace,
 * Punctuation, Sequence, Split, Whitespace and WhitespaceSplit, as tokenizers 0.23.3 has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_PRETOKENIZER_H
#define TOKENIZER_PRETOKENIZER_H

#include <assay/status.h>

#include "tokenizer/text/pattern.h"
#include "tokenizer/text/writer.h"

#include <stdbool.h>
#include <stddef.h>

#define TOKENIZER_STAGES_MAX 64

/* Immutable once opened. */
typedef struct tokenizer_pretokenizer tokenizer_pretokenizer;

/* Who takes the words, one after the other; text is borrowed for the call, and n > 0. */
typedef assay_status tokenizer_word_sink(void *context, const char *text, size_t n, assay_error *err);

/* What one thread needs to cut; the matcher is borrowed, the rest all zero at first. */
typedef struct tokenizer_cutting {
    tokenizer_matcher *matcher;
    tokenizer_growth growth;           /* of the text whose parts are cut */
    buffer text[TOKENIZER_STAGES_MAX]; /* one for each stage that rewrites */
    tokenizer_word_sink *sink;
    void *context;
} tokenizer_cutting;

/* Opens the member; one that is absent or null leaves a text whole. The caller owns *out. */
assay_status tokenizer_pretokenizer_open(const tokenizer_place *p, tokenizer_pretokenizer **out,
                                         assay_error *err);
void tokenizer_pretokenizer_free(tokenizer_pretokenizer *p);

/* Whether the last thing it does is writing bytes as characters. */
bool tokenizer_pretokenizer_ends_in_bytes(const tokenizer_pretokenizer *p);
/* Leaves that out: words are then bytes. Before the first run. */
void tokenizer_pretokenizer_leave_bytes(tokenizer_pretokenizer *p);

/* Cuts a text, and hands its words to work->sink. */
assay_status tokenizer_pretokenizer_run(const tokenizer_pretokenizer *p, tokenizer_cutting *work,
                                        const tokenizer_text *text, assay_error *err);
void tokenizer_cutting_free(tokenizer_cutting *work);

#endif
