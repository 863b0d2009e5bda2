/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/casing.h"

#include <string.h>

#include "base/utf8.h"
#include "template/values/unicode.h"

#define SIGMA       0x3a3
#define FINAL_SIGMA 0x3c2

/* Whether a cased character is next to text[0..n), or is its last one, apart from characters that case
 * ignores. */
static bool has_cased_neighbour(tpl *t, assay_text text, bool last)
{
    uint32_t c;
    while (text.n > 0 && tpl_step(t, 1)) {
        const size_t at = last ? utf8_before(text.at, text.n) : 0;
        const size_t n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (!tpl_char_has(t, c, TPL_IS_CASE_IGNORED)) return tpl_char_has(t, c, TPL_IS_CASED);
        if (!last) text.at += n;
        text.n -= n;
    }
    return false;
}

/* Appends the lower case of the character c, of n bytes, at text[at]. */
static void add_lower_at(tpl_builder *b, assay_text text, size_t at, size_t n, uint32_t c)
{
    const assay_text before = {.at = text.at, .n = at},
                     after = {.at = text.at + at + n, .n = text.n - at - n};
    const bool final =
        c == SIGMA && has_cased_neighbour(b->t, before, true) && !has_cased_neighbour(b->t, after, false);
    if (final) tpl_add_char(b, FINAL_SIGMA);
    else tpl_add_lower(b, c);
}

static void add_swapped(tpl_builder *b, assay_text text, size_t at, size_t n, uint32_t c)
{
    if (tpl_char_has(b->t, c, TPL_IS_UPPER)) add_lower_at(b, text, at, n, c);
    else if (tpl_char_has(b->t, c, TPL_IS_LOWER)) tpl_add_upper(b, c);
    else tpl_add_char(b, c);
}

/* Whether a word of the filter title begins after c. */
static bool separates_words(uint32_t c)
{
    return tpl_is_space(c) || (c > 0 && c < 0x80 && strchr("-({[<", (int)c));
}

tpl_value tpl_change_case(tpl *t, assay_text text, tpl_case to)
{
    tpl_builder b = {.t = t};
    assay_text word = text; /* in which a sigma looks for its neighbours */
    bool begins = true;     /* a word, or for TPL_CAPITALIZE the text */
    uint32_t c;
    size_t n;
    for (size_t at = 0; at < text.n && tpl_step(t, 1); at += n) {
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (to == TPL_UPPER) tpl_add_upper(&b, c);
        else if (to == TPL_FOLD) tpl_add_folded(&b, c);
        else if (to == TPL_SWAP) add_swapped(&b, text, at, n, c);
        else if (to == TPL_LOWER || !begins) add_lower_at(&b, word, (size_t)(text.at + at - word.at), n, c);
        else if (to == TPL_TITLE_WORDS) tpl_add_upper(&b, c);
        else tpl_add_title(&b, c);
        /* The filter title lowers what follows the first character of a word without it. */
        if (to == TPL_TITLE_WORDS && begins)
            word = (assay_text){.at = text.at + at + n, .n = text.n - at - n};
        begins = (to == TPL_TITLE && !tpl_char_has(t, c, TPL_IS_CASED)) ||
                 (to == TPL_TITLE_WORDS && separates_words(c));
    }
    return tpl_built(&b);
}

/* Whether the cased characters of a text are upper or lower case, and there are some. */
static bool is_all(tpl *t, assay_text text, bool upper)
{
    bool any = false;
    uint32_t c;
    for (size_t at = 0; at < text.n && tpl_step(t, 1);) {
        at += utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (tpl_char_has(t, c, TPL_IS_TITLE) || tpl_char_has(t, c, upper ? TPL_IS_LOWER : TPL_IS_UPPER))
            return false;
        any = any || tpl_char_has(t, c, upper ? TPL_IS_UPPER : TPL_IS_LOWER);
    }
    return any;
}

/* Whether upper or title case begins each word of cased characters, lower case goes on, and there are some.
 */
static bool is_title(tpl *t, assay_text text)
{
    bool any = false, within = false;
    uint32_t c;
    for (size_t at = 0; at < text.n && tpl_step(t, 1);) {
        at += utf8_decode(text.at + at, text.n - at, &c, NULL);
        const bool begins = tpl_char_has(t, c, TPL_IS_UPPER) || tpl_char_has(t, c, TPL_IS_TITLE);
        const bool lower = !begins && tpl_char_has(t, c, TPL_IS_LOWER);
        if ((begins && within) || (lower && !within)) return false;
        within = begins || lower;
        any = any || within;
    }
    return any;
}

/* Whether all characters have a property, the first one another one. */
static bool have_all(tpl *t, assay_text text, tpl_property first, tpl_property rest)
{
    bool all = true;
    uint32_t c;
    for (size_t at = 0; all && at < text.n && tpl_step(t, 1);) {
        const bool is_first = at == 0;
        at += utf8_decode(text.at + at, text.n - at, &c, NULL);
        all = tpl_char_has(t, c, is_first ? first : rest);
    }
    return all;
}

bool tpl_has_class(tpl *t, assay_text text, const char *name)
{
    static const struct {
        const char *name;
        tpl_property first, rest;
        bool of_empty;
    } classes[] = {
        {"alpha", TPL_ALPHA, TPL_ALPHA, false},
        {"decimal", TPL_DECIMAL, TPL_DECIMAL, false},
        {"digit", TPL_DIGIT, TPL_DIGIT, false},
        {"numeric", TPL_NUMERIC, TPL_NUMERIC, false},
        {"alnum", TPL_ALNUM, TPL_ALNUM, false},
        {"space", TPL_SPACE, TPL_SPACE, false},
        {"identifier", TPL_NAME_BEGIN, TPL_NAME_WITHIN, false},
        {"printable", TPL_PRINTABLE, TPL_PRINTABLE, true},
        {"ascii", TPL_ASCII, TPL_ASCII, true},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(name, classes[i].name) == 0)
            return text.n > 0 ? have_all(t, text, classes[i].first, classes[i].rest) : classes[i].of_empty;
    return *name == 't' ? is_title(t, text) : is_all(t, text, *name == 'u');
}
