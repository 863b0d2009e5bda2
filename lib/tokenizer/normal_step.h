/* One step of a normaliser, used only by tokenizer_normalizer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_NORMAL_STEP_H
#define TOKENIZER_NORMAL_STEP_H

#include <assay/status.h>

#include "tokenizer/text/charsmap.h"
#include "tokenizer/text/normal_form.h"
#include "tokenizer/text/pattern.h"
#include "tokenizer/text/writer.h"

/* Working memory of one thread. The caller sets matcher (borrowed) and, for each text, growth, which
 * all parts of that text share; the rest starts as zero. Freed by tokenizer_normalizing_free. */
typedef struct tokenizer_normalizing {
    tokenizer_matcher *matcher;
    tokenizer_growth growth;
    buffer text[2];
    normal_chars chars;
} tokenizer_normalizing;

typedef enum normal_kind {
    NORMAL_BERT_CLEAN,
    NORMAL_BERT_CHINESE,
    NORMAL_BERT_ACCENTS, /* expects decomposed text: follows a NORMAL_FORM */
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

/* Members that do not list the step's kind are zero. */
typedef struct normal_step {
    normal_kind kind;
    bool compatible, composed;  /* FORM */
    bool left, right;           /* STRIP */
    tokenizer_pattern *pattern; /* REPLACE */
    char *text;                 /* [n]: PREPEND, REPLACE */
    size_t n;
    tokenizer_charsmap *charsmap; /* PRECOMPILED */
} normal_step;

/* Normalises `old`, which must not be empty, into w. ASSAY_ENOMEM; ASSAY_EUNSUPPORTED if the text grows
 * too much or a regular expression exceeds its step limit. */
assay_status normal_step_run(const normal_step *s, tokenizer_normalizing *work, tokenizer_writer *w,
                             const tokenizer_text *old, assay_error *err);

void tokenizer_normalizing_free(tokenizer_normalizing *work);

#endif
