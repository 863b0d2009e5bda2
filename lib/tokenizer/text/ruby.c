/* SPDX-License-Identifier: Apache-2.0 */

#include "tokenizer/text/ruby.h"
#include "tokenizer/text/ruby_chars.h"
#include "tokenizer/text/ruby_sets.h"

#include <string.h>

#define NO_ATOM SIZE_MAX

/* What a character after "(?" and options means to Oniguruma, if it is not rewritten. */
static const char *reason_of_group(char c)
{
    static const struct {
        const char *characters, *reason;
    } GROUPS[] = {{"<'", "a named group"}, {"~", "an absent operator"},
                  {"#", "a comment"},      {"(", "a condition"},
                  {"{", "a callout"},      {"xWDSPCLy", "an option other than i and m"}};
    for (size_t i = 0; c && i < sizeof GROUPS / sizeof *GROUPS; i++)
        if (strchr(GROUPS[i].characters, c)) return GROUPS[i].reason;
    return "an unknown group";
}

static void begin_atom(ruby_rewriting *r, bool may_be_empty)
{
    r->empty.before = r->empty.before && r->empty.atom;
    r->empty.atom = may_be_empty;
}

static void begin_alternative(ruby_rewriting *r)
{
    r->empty.group = r->empty.group || (r->empty.before && r->empty.atom);
    r->empty.before = r->empty.atom = true;
}

static void begin_group(ruby_rewriting *r, bool is_assertion)
{
    r->outer_folds[r->depth] = r->folds;
    r->outer_empty[r->depth] = r->empty;
    r->group[r->depth++] = r->out->n;
    r->atom = NO_ATOM;
    r->empty = (ruby_empty){.group = is_assertion, .before = true, .atom = true};
}

static void end_group(ruby_rewriting *r)
{
    begin_alternative(r);
    const bool may_be_empty = r->empty.group;
    r->atom = r->group[--r->depth];
    r->folds = r->outer_folds[r->depth];
    r->empty = r->outer_empty[r->depth];
    begin_atom(r, may_be_empty);
}

/* Rewrites options after "(?": their letters, then ':' or ')'. */
static bool put_options(ruby_rewriting *r)
{
    const size_t begin = r->at;
    char letters[8];
    size_t n = 0;
    bool turns_on = true;
    while (n + 1 < sizeof letters && r->at < r->n && memchr("im-", r->text[r->at], 3)) {
        const char c = r->text[r->at++];
        if (c == '-') turns_on = false;
        if (c == 'i') r->folds = turns_on;
        letters[n++] = c == 'm' ? 's' : c; /* in Ruby, m makes the dot match newlines */
    }
    letters[n] = '\0';
    if (ruby_peek(r) != ':' && ruby_peek(r) != ')')
        return ruby_refuse(r, begin, reason_of_group(ruby_peek(r)));
    /* Elsewhere Ruby makes all alternatives to the right of the options one group. */
    if (ruby_peek(r) == ')' && begin != 2) return ruby_refuse(r, begin, "options in the middle of a pattern");
    if (!ruby_put(r, "(?") || !ruby_put(r, letters) || !ruby_put_text(r, r->text + r->at, 1)) return false;
    if (r->text[r->at++] != ')') return true;
    r->empty = r->outer_empty[--r->depth]; /* the options stay on */
    return true;
}

/* Rewrites the start of a group after '('. */
static bool put_group(ruby_rewriting *r)
{
    static const char *const SAME[] = {"?:", "?=", "?!", "?>", "?<=", "?<!"};
    if (r->depth == RUBY_DEPTH_MAX) return ruby_refuse(r, r->at, "groups nested too deeply");
    begin_group(r, ruby_next_is(r, "?=") || ruby_next_is(r, "?!") || ruby_next_is(r, "?<=") ||
                       ruby_next_is(r, "?<!"));
    if (ruby_peek(r) != '?') return ruby_put(r, "(?:");
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        if (!ruby_next_is(r, SAME[i])) continue;
        r->at += strlen(SAME[i]);
        r->keeps_or_is_lazy = r->keeps_or_is_lazy || SAME[i][1] == '>';
        return ruby_put(r, "(") && ruby_put(r, SAME[i]);
    }
    r->at++;
    return put_options(r);
}

/* The length of "{n}", "{n,}", "{,m}" or "{n,m}" at r->at, or 0. *exact: there is no comma. */
static size_t interval_length(const ruby_rewriting *r, bool *exact)
{
    size_t at = r->at + 1;
    size_t digits = 0;
    for (; at < r->n && ruby_is_digit(r->text[at]); at++) digits++;
    *exact = true;
    if (at < r->n && r->text[at] == ',') {
        *exact = false;
        for (at++; at < r->n && ruby_is_digit(r->text[at]); at++) digits++;
    }
    return at < r->n && r->text[at] == '}' && digits > 0 ? at + 1 - r->at : 0;
}

/* Inserts text into what was written. */
static bool insert(ruby_rewriting *r, size_t from, const char *text)
{
    const size_t n = strlen(text);
    if (!buffer_reserve(r->out, n)) return ruby_refuse(r, r->at, NULL);
    memmove(r->out->data + from + n, r->out->data + from, r->out->n - from);
    memcpy(r->out->data + from, text, n);
    r->out->n += n;
    return true;
}

static bool put_interval(ruby_rewriting *r, size_t length, bool exact)
{
    if (r->text[r->at + 1] == ',' &&
        (!ruby_put(r, "{0") || !ruby_put_text(r, r->text + r->at + 1, length - 1)))
        return false;
    if (r->text[r->at + 1] != ',' && !ruby_put_text(r, r->text + r->at, length)) return false;
    r->at += length;
    if (ruby_peek(r) == '?' && !exact) return r->keeps_or_is_lazy = true, r->at++, ruby_put(r, "?");
    if (ruby_peek(r) != '?' && ruby_peek(r) != '+') return true;
    r->empty.atom = r->empty.atom || ruby_peek(r) == '?';
    /* In Ruby a second quantifier, of a group around the atom and the first. */
    return insert(r, r->atom, "(?:") && ruby_put(r, ")") && ruby_put_text(r, r->text + r->at++, 1);
}

/* Whether the interval at r->at begins at 0. */
static bool takes_none(const ruby_rewriting *r)
{
    size_t at = r->at + 1;
    while (r->text[at] == '0') at++;
    return !ruby_is_digit(r->text[at]);
}

static bool put_quantifier(ruby_rewriting *r)
{
    bool exact = false;
    const bool braces = ruby_peek(r) == '{';
    const size_t begin = r->at, length = braces ? interval_length(r, &exact) : 1;
    if (length == 0) { /* a literal brace */
        r->atom = r->out->n;
        begin_atom(r, false);
        return ruby_put_char(r);
    }
    if (r->atom == NO_ATOM) return ruby_refuse(r, begin, "a quantifier without an operand");
    /* Oniguruma ends a repeat after an empty one, PCRE2 only if it counts none. */
    if (braces && r->empty.atom) return ruby_refuse(r, begin, "a counted repeat of what may be empty");
    r->empty.atom = r->empty.atom || ruby_peek(r) == '*' || ruby_peek(r) == '?' || (braces && takes_none(r));
    if (braces) {
        if (!put_interval(r, length, exact)) return false;
    } else {
        const bool of_group = r->out->data[r->out->n - 1] == ')';
        if (!ruby_put_text(r, r->text + r->at++, 1)) return false;
        if (of_group && ruby_peek(r) == '+') r->keeps_or_is_lazy = true;
        r->keeps_or_is_lazy = r->keeps_or_is_lazy || ruby_peek(r) == '?';
        if ((ruby_peek(r) == '?' || ruby_peek(r) == '+') && !ruby_put_text(r, r->text + r->at++, 1))
            return false;
    }
    if (r->at < r->n && memchr("*+?", r->text[r->at], 3))
        return ruby_refuse(r, r->at, "a quantifier of a quantifier");
    r->atom = NO_ATOM;
    return true;
}

/* Rewrites an escape after its backslash, outside of brackets. */
static bool put_outer_escape(ruby_rewriting *r)
{
    static const char BOUNDARY[] = "(?:(?<=[" RUBY_LONE_WORD "])(?![" RUBY_LONE_WORD "])|(?<![" RUBY_LONE_WORD
                                   "])(?=[" RUBY_LONE_WORD "]))";
    static const char INSIDE[] = "(?:(?<=[" RUBY_LONE_WORD "])(?=[" RUBY_LONE_WORD "])|(?<![" RUBY_LONE_WORD
                                 "])(?![" RUBY_LONE_WORD "]))";
    const char letter = ruby_peek(r);
    if (!letter || !strchr("bBAzZR", letter)) return ruby_put_escape(r);
    r->at++;
    if (letter == 'b') return ruby_put(r, BOUNDARY);
    if (letter == 'B') return ruby_put(r, INSIDE);
    return ruby_put(r, letter == 'A' ? "\\A" : letter == 'z' ? "\\z" : letter == 'Z' ? "\\Z" : "\\R");
}

/* Whether what begins at r->at matches an empty text only. */
static bool is_empty(const ruby_rewriting *r)
{
    const char c = ruby_peek(r), letter = r->at + 1 < r->n ? r->text[r->at + 1] : '\0';
    return c == '^' || c == '$' || (c == '\\' && memchr("bBAzZ", letter, 5));
}

static bool put_next(ruby_rewriting *r)
{
    const char c = ruby_peek(r);
    if (strchr("*+?{", c) && c != '\0') return put_quantifier(r);
    const size_t begin = r->out->n;
    if (c == ')') {
        if (r->depth == 0) return ruby_refuse(r, r->at, "a ) without its (");
        end_group(r);
        r->at++;
        return ruby_put(r, ")");
    }
    r->atom = begin;
    if (c != '(' && c != '|') begin_atom(r, is_empty(r));
    switch (c) {
    case '(': r->at++; return put_group(r);
    case '[': r->at++; return ruby_put_set(r);
    case '\\': r->at++; return put_outer_escape(r);
    case '.': r->at++; return ruby_put(r, ".");
    case '^': r->at++; return ruby_put(r, "(?m:^)");
    case '$': r->at++; return ruby_put(r, "(?m:$)");
    case '|':
        r->at++;
        r->atom = NO_ATOM;
        begin_alternative(r);
        return ruby_put(r, "|");
    default: return ruby_put_char(r);
    }
}

bool tokenizer_ruby_rewrite(const char *text, size_t n, buffer *out, tokenizer_ruby_problem *problem)
{
    ruby_rewriting r = {.text = text,
                        .n = n,
                        .out = out,
                        .atom = NO_ATOM,
                        .empty = {.before = true, .atom = true},
                        .problem = problem};
    while (r.at < n)
        if (!put_next(&r)) return false;
    if (r.depth > 0) return ruby_refuse(&r, n, "a ( without its )");
    /* PCRE2 10.42's JIT compiler skips a repeat that an earlier start of the search has matched up to the
     * same place. It then tries other alternatives of an atomic group, and finds "cb" in "acb" for (?>a*|c)b;
     * it does not find ".5" in "2.50" for (?>.+?)\d. Lazy repeats in possessive groups have a like fault.
     * Auto-possessification takes a possessive optional group for one that must match: it does not find "e"
     * for e?(?:x)?+[a-f]. */
    return !r.keeps_or_is_lazy || insert(&r, 0, "(*NO_START_OPT)(*NO_AUTO_POSSESS)");
}
