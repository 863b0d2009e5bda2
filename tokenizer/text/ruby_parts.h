/* What the files that rewrite regular expressions share: a pattern under way, and characters and sets of
 * them. For ruby*.c alone.
 *
 * Each function that returns whether it could go on has, where it could not, said why in *r->problem.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_PARTS_H
#define TOKENIZER_TEXT_RUBY_PARTS_H

#include "tokenizer/text/ruby.h"

#include <stdint.h>

#define RUBY_DEPTH_MAX 64

#define RUBY_WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
/* Outside of brackets Oniguruma's \w also takes some superscripts and fractions. */
#define RUBY_LONE_WORD RUBY_WORD "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"

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

/* ruby_chars.c: a character that stands for itself, in brackets or outside. */
bool ruby_put_char(ruby_rewriting *r);

/* Behind a backslash: what means the same in brackets and outside. */
bool ruby_put_escape(ruby_rewriting *r, bool bracketed);

/* Behind '['. A hyphen is a range where characters stand on both sides. */
bool ruby_put_brackets(ruby_rewriting *r);

#endif
