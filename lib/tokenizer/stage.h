/* One stage of a pre-tokeniser, used only by tokenizer_pretokenizer.
 *
 * Each stage splits or rewrites a piece and passes the results to the next stage one by one, so that no
 * list of all pieces is stored.
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
    STAGE_BYTES, /* writes each byte as its character of tokenizer/models/bytes.h */
    STAGE_SPACE, /* prepends a space unless the piece begins with one */
    STAGE_META,  /* Metaspace without its splitting, which is a STAGE_SPLIT of its own */
    STAGE_SPLIT, /* splits at matches of a pattern, or at characters of a class */
    STAGE_WORDS, /* Whitespace: \w+|[^\w\s]+ */
    STAGE_LENGTH /* FixedLength */
} stage_kind;

/* What STAGE_SPLIT does with a match: "behavior" in the file. */
typedef enum stage_behavior {
    STAGE_REMOVED,
    STAGE_ISOLATED,
    STAGE_WITH_PREVIOUS,
    STAGE_WITH_NEXT,
    STAGE_CONTIGUOUS
} stage_behavior;

typedef enum stage_scheme { STAGE_FIRST, STAGE_NEVER, STAGE_ALWAYS } stage_scheme;

/* Members that do not list the stage's kind are zero. */
typedef struct stage {
    stage_kind kind;
    tokenizer_pattern *pattern; /* SPLIT; NULL if `is` is used */
    bool (*is)(uint32_t c);     /* SPLIT: each character of this class is a match */
    stage_behavior behavior;    /* SPLIT */
    bool invert;                /* SPLIT: matches and the text between them swap roles */
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

/* Receives the words in order; text is borrowed for the call, n > 0. */
typedef assay_status tokenizer_word_sink(void *context, const char *text, size_t n, assay_error *err);

/* Working memory of one thread. The caller sets matcher (borrowed), growth, sink and context; text
 * starts as zero. Freed by tokenizer_splitting_free. */
typedef struct tokenizer_splitting {
    tokenizer_matcher *matcher;
    tokenizer_growth growth;           /* shared by all parts of one text */
    buffer text[TOKENIZER_STAGES_MAX]; /* output of the stages that rewrite, by the stage's index */
    tokenizer_word_sink *sink;
    void *context;
} tokenizer_splitting;

/* Splits a text and passes its words to work->sink. */
assay_status tokenizer_pretokenizer_run(const tokenizer_pretokenizer *p, tokenizer_splitting *work,
                                        const tokenizer_text *text, assay_error *err);
void tokenizer_splitting_free(tokenizer_splitting *work);

#endif
