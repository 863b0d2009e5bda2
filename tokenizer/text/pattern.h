/* Patterns of a tokenizer.json: texts and regular expressions, and where they match.
 *
 * A match costs a bounded number of steps: see tokenizer_matcher_begin.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_PATTERN_H
#define TOKENIZER_TEXT_PATTERN_H

#include <assay/status.h>

#include "tokenizer/text/place.h"

#include <stdbool.h>
#include <stddef.h>

/* Immutable once opened. */
typedef struct tokenizer_pattern tokenizer_pattern;

/* What one thread needs in order to look for patterns. */
typedef struct tokenizer_matcher tokenizer_matcher;

/* Opens {"String": text} or {"Regex": expression}; p is borrowed for the call. The caller owns *out.
 * ASSAY_EFORMAT, and ASSAY_EUNSUPPORTED for an empty text and for an expression that is not understood. */
assay_status tokenizer_pattern_open(const tokenizer_place *p, tokenizer_pattern **out, assay_error *err);
/* The same of an expression, or of a text that is not empty, that no file has written as one. */
assay_status tokenizer_pattern_open_regex(const char *path, const char *expression, tokenizer_pattern **out,
                                          assay_error *err);
assay_status tokenizer_pattern_open_text(const char *path, const char *text, size_t n,
                                         tokenizer_pattern **out, assay_error *err);
void tokenizer_pattern_free(tokenizer_pattern *p);

/* Whether it can match without taking a character. */
bool tokenizer_pattern_is_empty(const tokenizer_pattern *p);

assay_status tokenizer_matcher_open(tokenizer_matcher **out, assay_error *err);
void tokenizer_matcher_free(tokenizer_matcher *m);

/* Begins with a text of n bytes: looking for patterns in it and in what is made of it may take a number of
 * steps in proportion to n, and then ends with ASSAY_EUNSUPPORTED. */
void tokenizer_matcher_begin(tokenizer_matcher *m, size_t n);

/* Matches of one pattern in one text, from left to right. Fill in the first four, the rest with zero. */
typedef struct tokenizer_matches {
    const tokenizer_pattern *pattern;
    tokenizer_matcher *matcher;
    const char *text; /* [n], valid UTF-8 */
    size_t n;
    size_t at;       /* where to look next */
    size_t last_end; /* of the last match */
    bool has_last_end;
} tokenizer_matches;

/* The next match, text[*from..*to); *found is false where there is none. None is empty at the end of the one
 * before it. */
assay_status tokenizer_matches_next(tokenizer_matches *m, size_t *from, size_t *to, bool *found,
                                    assay_error *err);

#endif
