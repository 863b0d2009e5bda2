/* The state of rewriting a regular expression. Functions that return bool return false if the pattern
 * is refused or out of memory; *r->problem says why.
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
#define RUBY_WHITE                                                                                           \
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
/* Outside of brackets Oniguruma's \w also takes some superscripts and fractions. */
#define RUBY_LONE_WORD RUBY_WORD "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"

typedef struct tokenizer_ruby_problem {
    size_t at;          /* offset in the pattern, in bytes */
    const char *reason; /* the unsupported syntax found there; NULL: out of memory */
} tokenizer_ruby_problem;

typedef struct ruby_set {
    bool is_complement;    /* itself */
    bool has_complement;   /* a set within its current term; "&&" separates terms */
    bool lacks_complement; /* one of its earlier terms had no complement within */
} ruby_set;

/* What of an open group may match an empty text. */
typedef struct ruby_empty {
    bool group;  /* itself: it is an assertion, or an earlier alternative may */
    bool before; /* the current alternative before its last atom */
    bool atom;   /* that atom; true if there is none */
} ruby_empty;

typedef struct ruby_rewriting {
    const char *text;
    size_t n, at;
    buffer *out;
    size_t atom;                  /* offset in out of what a quantifier repeats; SIZE_MAX: nothing */
    size_t group[RUBY_DEPTH_MAX]; /* offset in out of each open group */
    size_t depth;
    bool outer_folds[RUBY_DEPTH_MAX];       /* `folds` around each open group */
    bool folds;                             /* case is ignored (option "i") */
    ruby_empty outer_empty[RUBY_DEPTH_MAX]; /* `empty` around each open group */
    ruby_empty empty;
    bool keeps_or_is_lazy; /* a group was atomic or possessive, or a quantifier lazy */
    buffer *others; /* in brackets: alternatives of one character that no item of a set can say; else NULL */
    size_t n_sets;  /* brackets that are open */
    ruby_set set;   /* the outermost of them */
    uint32_t code;  /* the character that was written last, in brackets */
    tokenizer_ruby_problem *problem;
} ruby_rewriting;

/* Whether the set that is open also matches what its members fold to: Oniguruma matches "ss" with a set that
 * has a sharp s, where case is ignored and the set is no complement. */
bool ruby_set_folds(const ruby_rewriting *r);

bool ruby_refuse(ruby_rewriting *r, size_t at, const char *reason);

/* Append to r->out. */
bool ruby_put(ruby_rewriting *r, const char *items);
bool ruby_put_text(ruby_rewriting *r, const char *text, size_t n);

/* In brackets: appends an alternative, a pattern that matches one character, to r->others. */
bool ruby_put_other(ruby_rewriting *r, const char *atom);

/* Whether the pattern continues with `text` at r->at; the byte at r->at, '\0' at the end of the
 * pattern. */
bool ruby_next_is(const ruby_rewriting *r, const char *text);
char ruby_peek(const ruby_rewriting *r);

bool ruby_is_digit(char c);

#endif
