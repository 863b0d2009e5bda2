/* One stage of a pre-tokeniser, for tokenizer_pretokenizer alone.
 *
 * Each stage hands the pieces that it makes of one piece to the next stage, so that no list of all pieces is
 * ever kept.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_STAGE_H
#define TOKENIZER_STAGE_H

#include <assay/status.h>

#include "tokenizer/text/pattern.h"
#include "tokenizer/text/writer.h"

#include <stdbool.h>
#include <stddef.h>

#define TOKENIZER_STAGES_MAX 64

typedef enum stage_kind {
    STAGE_BYTES, /* writes bytes as characters */
    STAGE_SPACE, /* puts a space in front where there is none */
    STAGE_META,  /* Metaspace, but for its splitting */
    STAGE_SPLIT, /* at matches of a pattern, or at characters of a kind */
    STAGE_WORDS, /* Whitespace: \w+|[^\w\s]+ */
    STAGE_LENGTH /* FixedLength */
} stage_kind;

/* What becomes of a match. */
typedef enum stage_behavior {
    STAGE_REMOVED,
    STAGE_ISOLATED,
    STAGE_WITH_PREVIOUS,
    STAGE_WITH_NEXT,
    STAGE_CONTIGUOUS
} stage_behavior;

typedef enum stage_scheme { STAGE_FIRST, STAGE_NEVER, STAGE_ALWAYS } stage_scheme;

/* What a kind does not name is zero. */
typedef struct stage {
    stage_kind kind;
    tokenizer_pattern *pattern; /* SPLIT; or NULL: */
    bool (*is)(uint32_t c);     /* SPLIT: each such character is a match */
    stage_behavior behavior;    /* SPLIT */
    bool invert;                /* SPLIT: what lies between matches are the matches */
    char replacement[4];        /* META */
    size_t n_replacement;
    stage_scheme scheme;
    size_t length; /* LENGTH: characters */
} stage;

/* Immutable once opened. */
typedef struct tokenizer_pretokenizer {
    stage stages[TOKENIZER_STAGES_MAX];
    size_t n_stages;
} tokenizer_pretokenizer;

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

/* Splits a text and passes its words to work->sink. */
assay_status tokenizer_pretokenizer_run(const tokenizer_pretokenizer *p, tokenizer_cutting *work,
                                        const tokenizer_text *text, assay_error *err);
void tokenizer_cutting_free(tokenizer_cutting *work);

#endif
