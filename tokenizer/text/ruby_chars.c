/* SPDX-License-Identifier: Apache-2.0 */

#include "tokenizer/text/ruby_chars.h"

#include "base/utf8.h"
#include "tokenizer/text/property.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#define WHITE                                                                                                \
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether case is ignored and the character at r->at takes part in a case folding to several
 * characters, such as "ss" and a sharp s: Oniguruma matches these with each other, PCRE2 does not. */
static bool folds_to_several(const ruby_rewriting *r, uint32_t codepoint)
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

bool ruby_put_char(ruby_rewriting *r)
{
    uint32_t codepoint;
    const size_t taken = utf8_decode(r->text + r->at, r->n - r->at, &codepoint, NULL);
    const char c = r->text[r->at];
    const bool escaped =
        codepoint < 0x80 && codepoint > ' ' && !is_letter(c) && !ruby_is_digit(c) && c != 0x7f;
    if (folds_to_several(r, codepoint))
        return ruby_refuse(r, r->at, "a character whose case folding has several");
    if (codepoint == 0) return ruby_put(r, "\\x00") && (r->at++, true);
    if (escaped && !ruby_put(r, "\\")) return false;
    if (!ruby_put_text(r, r->text + r->at, taken)) return false;
    r->at += taken;
    return true;
}

/* Appends a set: its items alone if within brackets, else in brackets of its own. */
static bool put_set(ruby_rewriting *r, const char *items, bool negated, bool bracketed)
{
    if (!bracketed) return ruby_put(r, negated ? "[^" : "[") && ruby_put(r, items) && ruby_put(r, "]");
    if (!negated) return ruby_put(r, items);
    return false;
}

/* Rewrites a property after "\p" or "\P". */
static bool put_property(ruby_rewriting *r, bool negated)
{
    const size_t begin = r->at;
    if (ruby_peek(r) != '{') return ruby_refuse(r, begin, "a property without braces");
    const char *end = memchr(r->text + r->at, '}', r->n - r->at);
    if (!end) return ruby_refuse(r, begin, "a property without an end");
    const char *name = r->text + r->at + 1;
    r->at = (size_t)(end - r->text) + 1;
    if (*name == '^') {
        negated = !negated;
        name++;
    }
    char known[48], items[64];
    if (!tokenizer_property_name(name, (size_t)(end - name), known, sizeof known))
        return ruby_refuse(r, begin, "an unknown property");
    (void)snprintf(items, sizeof items, "\\%c{%s}", negated ? 'P' : 'p', known);
    return ruby_put(r, items);
}

/* Reads at most `most` hexadecimal digits and advances r->at past them. False if there is none. */
static bool read_hex(ruby_rewriting *r, int most, unsigned long *out)
{
    unsigned long value = 0;
    int read = 0;
    for (; read < most && r->at < r->n && memchr("0123456789abcdefABCDEF", r->text[r->at], 22);
         read++, r->at++) {
        const char c = r->text[r->at];
        value = value << 4 | (unsigned long)(ruby_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    *out = value;
    return read > 0;
}

/* Rewrites a code point after "\x" or "\u". */
static bool put_number(ruby_rewriting *r, char letter)
{
    const size_t begin = r->at;
    unsigned long value;
    char items[32];
    const bool braces = letter == 'x' && ruby_peek(r) == '{';
    if (braces) r->at++;
    const size_t digits = r->at;
    const bool read = read_hex(r, braces ? 8 : letter == 'u' ? 4 : 2, &value);
    if (!read || (letter == 'u' && r->at - digits != 4)) return ruby_refuse(r, begin, "an invalid number");
    if (braces && ruby_peek(r) != '}') return ruby_refuse(r, begin, "a number without an end");
    if (braces) r->at++;
    /* Without braces \x is a byte, and above 0x7f only a part of a character. */
    if (value > 0x10ffff || (letter == 'x' && !braces && value > 0x7f))
        return ruby_refuse(r, begin, "a byte beyond ASCII");
    (void)snprintf(items, sizeof items, "\\x{%lx}", value);
    return ruby_put(r, items);
}

bool ruby_put_escape(ruby_rewriting *r, bool bracketed)
{
    const size_t begin = r->at;
    const char letter = ruby_peek(r);
    if (r->at == r->n) return ruby_refuse(r, begin, "a backslash at the end");
    if (!is_letter(letter) && !ruby_is_digit(letter)) return ruby_put_char(r);
    r->at++;
    switch (letter) {
    case 't': return ruby_put(r, "\\t");
    case 'n': return ruby_put(r, "\\n");
    case 'r': return ruby_put(r, "\\r");
    case 'f': return ruby_put(r, "\\f");
    case 'a': return ruby_put(r, "\\a");
    case 'e': return ruby_put(r, "\\e");
    case 'v': return ruby_put(r, "\\x0b");
    case 'x':
    case 'u': return put_number(r, letter);
    case 'p': return put_property(r, false);
    case 'P': return put_property(r, true);
    case 'd': return ruby_put(r, "\\p{Nd}");
    case 'D': return ruby_put(r, "\\P{Nd}");
    case 's': return put_set(r, WHITE, false, bracketed);
    case 'h': return put_set(r, "0-9a-fA-F", false, bracketed);
    case 'w': return put_set(r, bracketed ? RUBY_WORD : RUBY_LONE_WORD, false, bracketed);
    case 'S': return bracketed ? ruby_put(r, "\\P{White_Space}") : put_set(r, WHITE, true, false);
    case 'H':
    case 'W':
        if (!bracketed) return put_set(r, letter == 'H' ? "0-9a-fA-F" : RUBY_LONE_WORD, true, false);
        return ruby_refuse(r, begin, "a complement within brackets");
    default: return ruby_refuse(r, begin, "an unknown escape");
    }
}

/* Rewrites a POSIX class after "[:". */
static bool put_posix(ruby_rewriting *r)
{
    static const struct {
        const char *name, *items;
    } SETS[] = {{"alpha", "\\p{Alphabetic}"},       {"digit", "\\p{Nd}"},        {"space", WHITE},
                {"upper", "\\p{Uppercase}"},        {"lower", "\\p{Lowercase}"}, {"xdigit", "0-9a-fA-F"},
                {"alnum", "\\p{Alphabetic}\\p{Nd}"}};
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        char closed[16];
        (void)snprintf(closed, sizeof closed, "%s:]", SETS[i].name);
        if (!ruby_next_is(r, closed)) continue;
        r->at += strlen(closed);
        return ruby_put(r, SETS[i].items);
    }
    return ruby_refuse(r, r->at, "an unknown set");
}

static bool put_item(ruby_rewriting *r)
{
    if (ruby_next_is(r, "[:")) {
        r->at += 2;
        return put_posix(r);
    }
    if (ruby_peek(r) == '[') return ruby_refuse(r, r->at, "brackets within brackets");
    if (ruby_next_is(r, "&&")) return ruby_refuse(r, r->at, "an intersection of sets");
    if (ruby_peek(r) != '\\') return ruby_put_char(r);
    r->at++;
    if (ruby_peek(r) == 'b') { /* a backspace, within brackets */
        r->at++;
        return ruby_put(r, "\\x08");
    }
    return ruby_put_escape(r, true);
}

bool ruby_put_brackets(ruby_rewriting *r)
{
    const size_t begin = r->at;
    if (!ruby_put(r, ruby_peek(r) == '^' ? "[^" : "[")) return false;
    if (ruby_peek(r) == '^') r->at++;
    if (ruby_peek(r) == ']') return ruby_refuse(r, begin, "brackets that begin with ]");
    bool first = true;
    r->in_brackets = true;
    while (r->at < r->n && ruby_peek(r) != ']') {
        const bool hyphen = ruby_peek(r) == '-', last = r->at + 1 < r->n && r->text[r->at + 1] == ']';
        if (hyphen && !first && !last) {
            r->at++;
            if (!ruby_put(r, "-")) return false;
        } else if (!put_item(r)) {
            return false;
        }
        first = false;
    }
    if (r->at == r->n) return ruby_refuse(r, begin, "brackets without an end");
    r->in_brackets = false;
    r->at++;
    return ruby_put(r, "]");
}
