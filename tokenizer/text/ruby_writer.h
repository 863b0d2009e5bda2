/* A regular expression that is being rewritten. Functions that return bool return false where the pattern is
 * refused; *r->problem says why.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_WRITER_H
#define TOKENIZER_TEXT_RUBY_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define RUBY_DEPTH_MAX 64

#define RUBY_WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
/* Outside of brackets Oniguruma's \w also takes some superscripts and fractions. */
#define RUBY_LONE_WORD RUBY_WORD "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"

typedef struct tokenizer_ruby_problem {
    size_t at;          /* byte of the pattern */
    const char *reason; /* what stands there; NULL: memory could not be had */
} tokenizer_ruby_problem;

typedef struct ruby_rewriting {
    const char *text;
    size_t n, at;
    buffer *out;
    size_t atom;                  /* where in out begins what a quantifier would repeat */
    size_t group[RUBY_DEPTH_MAX]; /* where in out each open group begins */
    size_t depth;
    bool folds; /* options that ignore case have come */
    bool in_brackets;
    tokenizer_ruby_problem *problem;
} ruby_rewriting;

bool ruby_refuse(ruby_rewriting *r, size_t at, const char *reason);

/* Appends to what comes out. */
bool ruby_put(ruby_rewriting *r, const char *items);
bool ruby_put_text(ruby_rewriting *r, const char *text, size_t n);

/* The pattern at r->at: whether this text follows; the byte there, '\0' behind its end. */
bool ruby_next_is(const ruby_rewriting *r, const char *text);
char ruby_peek(const ruby_rewriting *r);

bool ruby_is_digit(char c);

#endif
