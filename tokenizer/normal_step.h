/* One step of a normaliser, for tokenizer_normalizer alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_NORMAL_STEP_H
#define TOKENIZER_NORMAL_STEP_H

#include <assay/status.h>

#include "tokenizer/text/charsmap.h"
#include "tokenizer/text/normal_form.h"
#include "tokenizer/text/pattern.h"
#include "tokenizer/text/writer.h"

/* What one thread needs to normalise; the matcher is borrowed, growth that of the text whose parts are
 * normalised, the rest all zero at first. */
typedef struct tokenizer_normalizing {
    tokenizer_matcher *matcher;
    tokenizer_growth growth;
    buffer text[2];
    normal_chars chars;
} tokenizer_normalizing;

typedef enum normal_kind {
    NORMAL_BERT_CLEAN,
    NORMAL_BERT_CHINESE,
    NORMAL_BERT_ACCENTS, /* behind NORMAL_FORM */
    NORMAL_BYTES,
    NORMAL_FORM,
    NORMAL_LOWER,
    NORMAL_NMT,
    NORMAL_PRECOMPILED,
    NORMAL_PREPEND,
    NORMAL_REPLACE,
    NORMAL_STRIP,
    NORMAL_STRIP_ACCENTS
} normal_kind;

/* What a kind does not name is zero. */
typedef struct normal_step {
    normal_kind kind;
    bool compatible, composed;  /* FORM */
    bool left, right;           /* STRIP */
    tokenizer_pattern *pattern; /* REPLACE */
    char *text;                 /* [n]: PREPEND, REPLACE */
    size_t n;
    tokenizer_charsmap *charsmap; /* PRECOMPILED */
} normal_step;

/* Writes what becomes of a text, which is not empty. */
assay_status normal_step_run(const normal_step *s, tokenizer_normalizing *work, tokenizer_writer *w,
                             const tokenizer_text *old, assay_error *err);

void tokenizer_normalizing_free(tokenizer_normalizing *work);

#endif
