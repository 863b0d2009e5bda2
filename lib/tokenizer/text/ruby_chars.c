/* SPDX-License-Identifier: Apache-2.0 */

#include "tokenizer/text/ruby_chars.h"

#include "base/utf8.h"
#include "tokenizer/text/property.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool folds_to_several(uint32_t codepoint)
{
    utf8proc_int32_t folded[8];
    int last_class = 0;
    return utf8proc_decompose_char((utf8proc_int32_t)codepoint, folded, 8, UTF8PROC_CASEFOLD, &last_class) !=
           1;
}

bool ruby_range_folds(uint32_t low, uint32_t high)
{
    enum { FIRST = 0xdf, LAST = 0xfb17 }; /* of all that do */
    for (uint32_t code = low > FIRST ? low : FIRST; code <= high && code <= LAST; code++)
        if (folds_to_several(code)) return true;
    return false;
}

/* Whether case is ignored and the character at r->at takes part in a case folding to several
 * characters, such as "ss" and a sharp s: Oniguruma matches these with each other, PCRE2 does not. */
static bool is_of_several(const ruby_rewriting *r, uint32_t codepoint)
{
    static const char *const PAIRS[] = {"ff", "fi", "fl", "ss", "st"};
    if (!r->folds) return false;
    if (codepoint >= 0x80)
        return folds_to_several(codepoint) ||
               utf8proc_get_property((utf8proc_int32_t)codepoint)->combining_class != 0;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS && r->n_sets == 0; i++)
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
    r->code = codepoint;
    if (is_of_several(r, codepoint))
        return ruby_refuse(r, r->at, "a character whose case folding has several");
    if (codepoint == 0) return ruby_put(r, "\\x00") && (r->at++, true);
    if (escaped && !ruby_put(r, "\\")) return false;
    if (!ruby_put_text(r, r->text + r->at, taken)) return false;
    r->at += taken;
    return true;
}

bool ruby_put_items(ruby_rewriting *r, const char *items, bool negated)
{
    char atom[256];
    if (r->others && !negated) return ruby_put(r, items);
    (void)snprintf(atom, sizeof atom, "[%s%s]", negated ? "^" : "", items);
    return r->others ? ruby_put_other(r, atom) : ruby_put(r, atom);
}

/* Appends a property outside of brackets, or in brackets of its own if it is a complement: PCRE2 10.42 takes
 * two complements, one after the other, for disjoint, and does not give back what the first has matched. */
static bool put_alone(ruby_rewriting *r, const char *items, bool negated)
{
    return ruby_put(r, negated ? "[" : "") && ruby_put(r, items) && ruby_put(r, negated ? "]" : "");
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
    tokenizer_property known;
    char items[sizeof known.items];
    if (!tokenizer_property_find(name, (size_t)(end - name), &known))
        return ruby_refuse(r, begin, "an unknown property");
    /* In brackets Oniguruma adds the other cases of all members, PCRE2 does not. */
    const bool adds_cases = r->others && r->folds;
    if (adds_cases && (!known.cases || (negated && known.cases[0])))
        return ruby_refuse(r, begin, "a property in a set, some of whose members have another case");
    if (ruby_set_folds(r) && (negated || known.folds_to_several))
        return ruby_refuse(r, begin, "a property in a set, some of whose members fold to several characters");
    (void)snprintf(items, sizeof items, "%s%s", known.items, adds_cases ? known.cases : "");
    /* Outside of brackets Oniguruma adds no case; PCRE2 adds cases to ranges, and takes Lu, Ll and Lt for
     * each other. */
    const bool keeps_case = !r->others && r->folds;
    if (negated && !known.is_union) items[1] = 'P';
    return ruby_put(r, keeps_case ? "(?-i:" : "") &&
           (known.is_union ? ruby_put_items(r, known.is_word && r->others ? RUBY_WORD : items, negated)
            : r->others    ? ruby_put(r, items)
                           : put_alone(r, items, negated)) &&
           ruby_put(r, keeps_case ? ")" : "");
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
    r->code = (uint32_t)value;
    if (ruby_set_folds(r) && ruby_range_folds(r->code, r->code))
        return ruby_refuse(r, begin, "a character whose case folding has several");
    (void)snprintf(items, sizeof items, "\\x{%lx}", value);
    return ruby_put(r, items);
}

/* What a letter or digit after a backslash means to Oniguruma, if it is not rewritten. */
static const char *reason_of_escape(char c)
{
    static const struct {
        const char *letters, *reason;
    } ESCAPES[] = {{"X", "\\X, a grapheme cluster"},
                   {"yY", "\\y or \\Y, a boundary of grapheme clusters"},
                   {"NO", "\\N or \\O, any character"},
                   {"K", "\\K, which keeps what is left of it"},
                   {"G", "\\G, the start of the search"},
                   {"gk123456789", "a reference to a group"},
                   {"o0", "an octal number"},
                   {"cCM", "a control or meta character"}};
    for (size_t i = 0; i < sizeof ESCAPES / sizeof *ESCAPES; i++)
        if (strchr(ESCAPES[i].letters, c)) return ESCAPES[i].reason;
    return "an unknown escape";
}

bool ruby_put_escape(ruby_rewriting *r)
{
    const bool bracketed = r->others != NULL;
    const size_t begin = r->at;
    const char letter = ruby_peek(r);
    if (r->at == r->n) return ruby_refuse(r, begin, "a backslash at the end");
    if (!is_letter(letter) && !ruby_is_digit(letter)) return ruby_put_char(r);
    r->at++;
    if (ruby_set_folds(r) && strchr("wDSH", letter))
        return ruby_refuse(r, begin, "\\w, \\D, \\S or \\H in a set where case is ignored");
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
    case 'D': return bracketed ? ruby_put(r, "\\P{Nd}") : put_alone(r, "\\P{Nd}", true);
    case 's': return ruby_put_items(r, RUBY_WHITE, false);
    case 'S': return bracketed ? ruby_put(r, "\\P{White_Space}") : ruby_put_items(r, RUBY_WHITE, true);
    case 'h':
    case 'H': return ruby_put_items(r, "0-9a-fA-F", letter == 'H');
    case 'w':
    case 'W': return ruby_put_items(r, bracketed ? RUBY_WORD : RUBY_LONE_WORD, letter == 'W');
    default: return ruby_refuse(r, begin, reason_of_escape(letter));
    }
}
