/* One stage of a pre-tokeniser, for tokenizer_pretokenizer alone.
 *
 * Each stage hands the pieces that it makes of one piece to the next stage, so that no list of all pieces is
 * ever kept.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_STAGE_H
#define TOKENIZER_STAGE_H

#include <assay/status.h>

#include "tokenizer/pretokenizer.h"

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

struct tokenizer_pretokenizer {
    stage stages[TOKENIZER_STAGES_MAX];
    size_t n_stages;
};

#endif
