/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tokenizer/ruby.h"

#include "model/tokenizer/property.h"
#include "model/utf8.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#define DEPTH_MAX 64
#define NO_ATOM   SIZE_MAX

#define WHITE                                                                                                \
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define WORD "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}"
/* Outside of brackets Oniguruma's \w also takes some superscripts and fractions. */
#define LONE_WORD WORD "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"

typedef struct rewriting {
    const char *text;
    size_t n, at;
    buffer *out;
    size_t atom;             /* where in out begins what a quantifier would repeat */
    size_t group[DEPTH_MAX]; /* where in out each open group begins */
    size_t depth;
    bool folds; /* options that ignore case have come */
    bool in_brackets;
    tokenizer_ruby_problem *problem;
} rewriting;

static bool refuse(rewriting *r, size_t at, const char *reason)
{
    *r->problem = (tokenizer_ruby_problem){at, reason};
    return false;
}

static bool put(rewriting *r, const char *items)
{
    return buffer_append(r->out, items, strlen(items)) || refuse(r, r->at, NULL);
}

static bool put_text(rewriting *r, const char *text, size_t n)
{
    return buffer_append(r->out, text, n) || refuse(r, r->at, NULL);
}

static bool next_is(const rewriting *r, const char *text)
{
    const size_t n = strlen(text);
    return n <= r->n - r->at && memcmp(r->text + r->at, text, n) == 0;
}

static char peek(const rewriting *r)
{
    return r->at < r->n ? r->text[r->at] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether case is ignored and Oniguruma would match several characters with one, as it does "ss" with a sharp
 * s: PCRE2 does not. */
static bool folds_to_several(const rewriting *r, uint32_t codepoint)
{
    static const char *const PAIRS[] = {"ff", "fi", "fl", "ss", "st"};
    utf8proc_int32_t folded[8];
    int last_class = 0;
    if (!r->folds) return false;
    if (codepoint >= 0x80)
        return utf8proc_decompose_char((utf8proc_int32_t)codepoint, folded, 8, UTF8PROC_CASEFOLD,
                                       &last_class) != 1 ||
               utf8proc_get_property((utf8proc_int32_t)codepoint)->combining_class != 0;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS && !r->in_brackets; i++)
        if (r->n - r->at >= 2 && (r->text[r->at] | 0x20) == PAIRS[i][0] &&
            (r->text[r->at + 1] | 0x20) == PAIRS[i][1])
            return true;
    return false;
}

/* A character that stands for itself, in brackets or outside. */
static bool put_char(rewriting *r)
{
    uint32_t codepoint;
    const size_t taken = utf8_decode(r->text + r->at, r->n - r->at, &codepoint, NULL);
    const char c = r->text[r->at];
    const bool escaped = codepoint < 0x80 && codepoint > ' ' && !is_letter(c) && !is_digit(c) && c != 0x7f;
    if (folds_to_several(r, codepoint))
        return refuse(r, r->at, "a character that without regard to case is several");
    if (codepoint == 0) return put(r, "\\x00") && (r->at++, true);
    if (escaped && !put(r, "\\")) return false;
    if (!put_text(r, r->text + r->at, taken)) return false;
    r->at += taken;
    return true;
}

/* A set, as an item inside brackets or in brackets of its own. */
static bool put_set(rewriting *r, const char *items, bool negated, bool bracketed)
{
    if (!bracketed) return put(r, negated ? "[^" : "[") && put(r, items) && put(r, "]");
    if (!negated) return put(r, items);
    return false;
}

/* Behind "\p" or "\P". */
static bool put_property(rewriting *r, bool negated)
{
    const size_t begin = r->at;
    if (peek(r) != '{') return refuse(r, begin, "a property without braces");
    const char *end = memchr(r->text + r->at, '}', r->n - r->at);
    if (!end) return refuse(r, begin, "a property without an end");
    const char *name = r->text + r->at + 1;
    r->at = (size_t)(end - r->text) + 1;
    if (*name == '^') {
        negated = !negated;
        name++;
    }
    char known[48], items[64];
    if (!tokenizer_property_name(name, (size_t)(end - name), known, sizeof known))
        return refuse(r, begin, "an unknown property");
    (void)snprintf(items, sizeof items, "\\%c{%s}", negated ? 'P' : 'p', known);
    return put(r, items);
}

/* Digits of base 16, at least one, at most `most`; r->at behind them. */
static bool read_hex(rewriting *r, int most, unsigned long *out)
{
    unsigned long value = 0;
    int read = 0;
    for (; read < most && r->at < r->n && memchr("0123456789abcdefABCDEF", r->text[r->at], 22);
         read++, r->at++) {
        const char c = r->text[r->at];
        value = value << 4 | (unsigned long)(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    *out = value;
    return read > 0;
}

/* Behind "\x" or "\u". */
static bool put_number(rewriting *r, char letter)
{
    const size_t begin = r->at;
    unsigned long value;
    char items[32];
    const bool braces = letter == 'x' && peek(r) == '{';
    if (braces) r->at++;
    const size_t digits = r->at;
    const bool read = read_hex(r, braces ? 8 : letter == 'u' ? 4 : 2, &value);
    if (!read || (letter == 'u' && r->at - digits != 4)) return refuse(r, begin, "a number that is none");
    if (braces && peek(r) != '}') return refuse(r, begin, "a number without an end");
    if (braces) r->at++;
    /* Without braces it is a byte, of which several make a character. */
    if (value > 0x10ffff || (letter == 'x' && !braces && value > 0x7f))
        return refuse(r, begin, "a byte beyond ASCII");
    (void)snprintf(items, sizeof items, "\\x{%lx}", value);
    return put(r, items);
}

/* Behind a backslash: what means the same in brackets and outside. */
static bool put_escape(rewriting *r, bool bracketed)
{
    const size_t begin = r->at;
    const char letter = peek(r);
    if (r->at == r->n) return refuse(r, begin, "a backslash at the end");
    if (!is_letter(letter) && !is_digit(letter)) return put_char(r);
    r->at++;
    switch (letter) {
    case 't': return put(r, "\\t");
    case 'n': return put(r, "\\n");
    case 'r': return put(r, "\\r");
    case 'f': return put(r, "\\f");
    case 'a': return put(r, "\\a");
    case 'e': return put(r, "\\e");
    case 'v': return put(r, "\\x0b");
    case 'x':
    case 'u': return put_number(r, letter);
    case 'p': return put_property(r, false);
    case 'P': return put_property(r, true);
    case 'd': return put(r, "\\p{Nd}");
    case 'D': return put(r, "\\P{Nd}");
    case 's': return put_set(r, WHITE, false, bracketed);
    case 'h': return put_set(r, "0-9a-fA-F", false, bracketed);
    case 'w': return put_set(r, bracketed ? WORD : LONE_WORD, false, bracketed);
    case 'S': return bracketed ? put(r, "\\P{White_Space}") : put_set(r, WHITE, true, false);
    case 'H':
    case 'W':
        if (!bracketed) return put_set(r, letter == 'H' ? "0-9a-fA-F" : LONE_WORD, true, false);
        return refuse(r, begin, "a complement within brackets");
    default: return refuse(r, begin, "an escape that is not known here");
    }
}

/* Behind "[:". */
static bool put_posix(rewriting *r)
{
    static const struct {
        const char *name, *items;
    } SETS[] = {{"alpha", "\\p{Alphabetic}"},       {"digit", "\\p{Nd}"},        {"space", WHITE},
                {"upper", "\\p{Uppercase}"},        {"lower", "\\p{Lowercase}"}, {"xdigit", "0-9a-fA-F"},
                {"alnum", "\\p{Alphabetic}\\p{Nd}"}};
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        char closed[16];
        (void)snprintf(closed, sizeof closed, "%s:]", SETS[i].name);
        if (!next_is(r, closed)) continue;
        r->at += strlen(closed);
        return put(r, SETS[i].items);
    }
    return refuse(r, r->at, "a set that is not known here");
}

static bool put_item(rewriting *r)
{
    if (next_is(r, "[:")) {
        r->at += 2;
        return put_posix(r);
    }
    if (peek(r) == '[') return refuse(r, r->at, "brackets within brackets");
    if (next_is(r, "&&")) return refuse(r, r->at, "an intersection of sets");
    if (peek(r) != '\\') return put_char(r);
    r->at++;
    if (peek(r) == 'b') { /* a backspace, within brackets */
        r->at++;
        return put(r, "\\x08");
    }
    return put_escape(r, true);
}

/* Behind '['. A hyphen is a range where characters stand on both sides. */
static bool put_brackets(rewriting *r)
{
    const size_t begin = r->at;
    if (!put(r, peek(r) == '^' ? "[^" : "[")) return false;
    if (peek(r) == '^') r->at++;
    if (peek(r) == ']') return refuse(r, begin, "brackets that begin with ]");
    bool first = true;
    r->in_brackets = true;
    while (r->at < r->n && peek(r) != ']') {
        const bool hyphen = peek(r) == '-', last = r->at + 1 < r->n && r->text[r->at + 1] == ']';
        if (hyphen && !first && !last) {
            r->at++;
            if (!put(r, "-")) return false;
        } else if (!put_item(r)) {
            return false;
        }
        first = false;
    }
    if (r->at == r->n) return refuse(r, begin, "brackets without an end");
    r->in_brackets = false;
    r->at++;
    return put(r, "]");
}

/* Behind "(?" where options are: their letters, then ':' or ')'. */
static bool put_options(rewriting *r)
{
    const size_t begin = r->at;
    char letters[8];
    size_t n = 0;
    while (n + 1 < sizeof letters && r->at < r->n && memchr("im-", r->text[r->at], 3)) {
        const char c = r->text[r->at++];
        if (c == 'i') r->folds = true;
        letters[n++] = c == 'm' ? 's' : c; /* Ruby's m lets the point match line ends */
    }
    letters[n] = '\0';
    if (peek(r) != ':' && peek(r) != ')') return refuse(r, begin, "a group that is not known here");
    /* Elsewhere Ruby would take the alternatives to its right into a group. */
    if (peek(r) == ')' && begin != 2) return refuse(r, begin, "options in the middle of a pattern");
    if (!put(r, "(?") || !put(r, letters) || !put_text(r, r->text + r->at, 1)) return false;
    if (r->text[r->at++] == ')') r->depth--;
    return true;
}

/* Behind '('. */
static bool put_group(rewriting *r)
{
    static const char *const SAME[] = {"?:", "?=", "?!", "?>", "?<=", "?<!"};
    if (r->depth == DEPTH_MAX) return refuse(r, r->at, "groups too deep in one another");
    r->group[r->depth++] = r->out->n;
    r->atom = NO_ATOM;
    if (peek(r) != '?') return put(r, "(?:");
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME; i++) {
        if (!next_is(r, SAME[i])) continue;
        r->at += strlen(SAME[i]);
        return put(r, "(") && put(r, SAME[i]);
    }
    r->at++;
    return put_options(r);
}

/* "{n}", "{n,}", "{,m}" or "{n,m}" at r->at, of digits: its length, or 0. */
static size_t interval_length(const rewriting *r, bool *exact)
{
    size_t at = r->at + 1;
    size_t digits = 0;
    for (; at < r->n && is_digit(r->text[at]); at++) digits++;
    *exact = true;
    if (at < r->n && r->text[at] == ',') {
        *exact = false;
        for (at++; at < r->n && is_digit(r->text[at]); at++) digits++;
    }
    return at < r->n && r->text[at] == '}' && digits > 0 ? at + 1 - r->at : 0;
}

/* Makes one group of what has been repeated, so that it can be repeated again. */
static bool wrap_atom(rewriting *r)
{
    static const char OPEN[] = "(?:";
    const size_t from = r->atom, n = sizeof OPEN - 1;
    if (!buffer_reserve(r->out, n + 1)) return refuse(r, r->at, NULL);
    memmove(r->out->data + from + n, r->out->data + from, r->out->n - from);
    memcpy(r->out->data + from, OPEN, n);
    r->out->n += n;
    return put(r, ")");
}

static bool put_interval(rewriting *r, size_t length, bool exact)
{
    if (r->text[r->at + 1] == ',' && (!put(r, "{0") || !put_text(r, r->text + r->at + 1, length - 1)))
        return false;
    if (r->text[r->at + 1] != ',' && !put_text(r, r->text + r->at, length)) return false;
    r->at += length;
    if (peek(r) == '?' && !exact) return r->at++, put(r, "?");
    if (peek(r) != '?' && peek(r) != '+') return true;
    return wrap_atom(r) && put_text(r, r->text + r->at++, 1); /* a quantifier of its own, in Ruby */
}

static bool put_quantifier(rewriting *r)
{
    bool exact = false;
    const bool braces = peek(r) == '{';
    const size_t begin = r->at, length = braces ? interval_length(r, &exact) : 1;
    if (length == 0) { /* braces that stand for themselves */
        r->atom = r->out->n;
        return put_char(r);
    }
    if (r->atom == NO_ATOM) return refuse(r, begin, "a quantifier of nothing");
    if (braces) {
        if (!put_interval(r, length, exact)) return false;
    } else {
        if (!put_text(r, r->text + r->at++, 1)) return false;
        if ((peek(r) == '?' || peek(r) == '+') && !put_text(r, r->text + r->at++, 1)) return false;
    }
    if (r->at < r->n && memchr("*+?", r->text[r->at], 3))
        return refuse(r, r->at, "a quantifier of a quantifier");
    r->atom = NO_ATOM;
    return true;
}

/* Behind a backslash, outside of brackets. */
static bool put_outer_escape(rewriting *r)
{
    static const char BOUNDARY[] =
        "(?:(?<=[" LONE_WORD "])(?![" LONE_WORD "])|(?<![" LONE_WORD "])(?=[" LONE_WORD "]))";
    static const char INSIDE[] =
        "(?:(?<=[" LONE_WORD "])(?=[" LONE_WORD "])|(?<![" LONE_WORD "])(?![" LONE_WORD "]))";
    const char letter = peek(r);
    if (!letter || !strchr("bBAzZR", letter)) return put_escape(r, false);
    r->at++;
    if (letter == 'b') return put(r, BOUNDARY);
    if (letter == 'B') return put(r, INSIDE);
    return put(r, letter == 'A' ? "\\A" : letter == 'z' ? "\\z" : letter == 'Z' ? "\\Z" : "\\R");
}

static bool put_next(rewriting *r)
{
    const char c = peek(r);
    if (strchr("*+?{", c) && c != '\0') return put_quantifier(r);
    const size_t begin = r->out->n;
    if (c == ')') {
        if (r->depth == 0) return refuse(r, r->at, "a ) without its (");
        r->atom = r->group[--r->depth];
        r->at++;
        return put(r, ")");
    }
    r->atom = begin;
    switch (c) {
    case '(': r->at++; return put_group(r);
    case '[': r->at++; return put_brackets(r);
    case '\\': r->at++; return put_outer_escape(r);
    case '.': r->at++; return put(r, ".");
    case '^': r->at++; return put(r, "(?m:^)");
    case '$': r->at++; return put(r, "(?m:$)");
    case '|':
        r->at++;
        r->atom = NO_ATOM;
        return put(r, "|");
    default: return put_char(r);
    }
}

bool tokenizer_ruby_rewrite(const char *text, size_t n, buffer *out, tokenizer_ruby_problem *problem)
{
    rewriting r = {.text = text, .n = n, .out = out, .atom = NO_ATOM, .problem = problem};
    while (r.at < n)
        if (!put_next(&r)) return false;
    return r.depth == 0 || refuse(&r, n, "a ( without its )");
}
