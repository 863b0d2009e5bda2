/* Patterns of a tokenizer.json, which are texts or regular expressions, and their matches.
 *
 * The number of matching steps is limited: see tokenizer_matcher_begin.
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

/* The matching state of one thread. */
typedef struct tokenizer_matcher tokenizer_matcher;

/* Opens {"String": text} or {"Regex": expression}; p is borrowed for the call. The caller owns *out.
 * ASSAY_EFORMAT; ASSAY_ENOMEM; ASSAY_EUNSUPPORTED for an empty text and for unsupported expressions. */
assay_status tokenizer_pattern_open(const tokenizer_place *p, tokenizer_pattern **out, assay_error *err);
/* The same for an expression or a text that is not a pattern of the file, such as a built-in
 * expression; path names the file in messages. */
assay_status tokenizer_pattern_open_regex(const char *path, const char *expression, tokenizer_pattern **out,
                                          assay_error *err);
assay_status tokenizer_pattern_open_text(const char *path, const char *text, size_t n,
                                         tokenizer_pattern **out, assay_error *err);
void tokenizer_pattern_free(tokenizer_pattern *p);

/* Whether the pattern can match the empty text. */
bool tokenizer_pattern_is_empty(const tokenizer_pattern *p);

assay_status tokenizer_matcher_open(tokenizer_matcher **out, assay_error *err);
void tokenizer_matcher_free(tokenizer_matcher *m);

/* Must be called before each text, n bytes long. Sets the step budget, linear in n, of all matching in
 * this text and in its rewritten forms; matching fails with ASSAY_EUNSUPPORTED once the budget is used
 * up. */
void tokenizer_matcher_begin(tokenizer_matcher *m, size_t n);

/* Iterates over the matches of one pattern in one text, from left to right. The caller sets the first
 * four members and zeroes the rest. */
typedef struct tokenizer_matches {
    const tokenizer_pattern *pattern;
    tokenizer_matcher *matcher;
    const char *text; /* [n], valid UTF-8 */
    size_t n;
    size_t at;       /* offset where the next search begins */
    size_t last_end; /* end of the last match */
    bool has_last_end;
} tokenizer_matches;

/* The next match, text[*from..*to); *found is false if there is none. An empty match at the end of the
 * previous match is skipped. ASSAY_EUNSUPPORTED if the step limit is exceeded; ASSAY_ENOMEM. */
assay_status tokenizer_matches_next(tokenizer_matches *m, size_t *from, size_t *to, bool *found,
                                    assay_error *err);

#endif
