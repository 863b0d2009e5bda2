/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/unicode.h"

#include <utf8proc.h>

#include "template/values/unicode_table.h"

#define IS(category) ((uint32_t)1 << UTF8PROC_CATEGORY_##category)
#define LETTERS      (IS(LU) | IS(LL) | IS(LT) | IS(LM) | IS(LO))

/* The range of a set that begins at c or before it, and not after others; NULL: none. */
static const tpl_range *range_before(int set, uint32_t c)
{
    const tpl_ranges ranges = tpl_unicode_sets[set];
    size_t low = 0, high = ranges.n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ranges.at[middle].from <= c) low = middle + 1;
        else high = middle;
    }
    return low > 0 ? &ranges.at[low - 1] : NULL;
}

static bool is_in(int set, uint32_t c)
{
    const tpl_range *range = range_before(set, c);
    return range && c <= range->to;
}

/* The general category as a bit. */
static uint32_t category_of(tpl *t, uint32_t c)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    if (c >= 0x80 && (category != UTF8PROC_CATEGORY_CN) != is_in(TPL_UNICODE_ASSIGNED, c))
        (void)tpl_fail(
            t, ASSAY_EUNSUPPORTED,
            "the character U+%04X, which only one of Unicode %s and Unicode %s has, is not supported",
            (unsigned)c, tpl_unicode_version, utf8proc_unicode_version());
    return (uint32_t)1 << category;
}

/* Whether c is of one of the categories, or in a set besides. */
static bool is_also(tpl *t, uint32_t c, uint32_t categories, int set)
{
    return (category_of(t, c) & categories) != 0 || is_in(set, c);
}

/* Whether c is of one of the categories, unless it is an exception. */
static bool is_except(tpl *t, uint32_t c, uint32_t categories, int set)
{
    return ((category_of(t, c) & categories) != 0) != is_in(set, c);
}

static bool is_numeric(tpl *t, uint32_t c)
{
    return is_also(t, c, IS(ND) | IS(NL) | IS(NO), TPL_UNICODE_NUMERIC);
}

static bool is_printable(tpl *t, uint32_t c)
{
    const uint32_t hidden = IS(CN) | IS(CC) | IS(CF) | IS(CS) | IS(CO) | IS(ZS) | IS(ZL) | IS(ZP);
    return c == ' ' || (category_of(t, c) & hidden) == 0;
}

bool tpl_char_has(tpl *t, uint32_t c, tpl_property property)
{
    switch (property) {
    case TPL_ALPHA: return (category_of(t, c) & LETTERS) != 0;
    case TPL_DECIMAL: return (category_of(t, c) & IS(ND)) != 0;
    case TPL_DIGIT: return is_also(t, c, IS(ND), TPL_UNICODE_DIGIT);
    case TPL_NUMERIC: return is_numeric(t, c);
    case TPL_ALNUM: return (category_of(t, c) & LETTERS) != 0 || is_numeric(t, c);
    case TPL_SPACE: return tpl_is_space(c);
    case TPL_PRINTABLE: return is_printable(t, c);
    case TPL_ASCII: return c < 0x80;
    case TPL_NAME_BEGIN: return c == '_' || is_except(t, c, LETTERS | IS(NL), TPL_UNICODE_NAME_BEGIN);
    case TPL_NAME_WITHIN:
        return is_except(t, c, LETTERS | IS(NL) | IS(ND) | IS(MN) | IS(MC) | IS(PC), TPL_UNICODE_NAME_WITHIN);
    case TPL_IS_UPPER: return is_also(t, c, IS(LU), TPL_UNICODE_UPPERCASE);
    case TPL_IS_LOWER: return is_also(t, c, IS(LL), TPL_UNICODE_LOWERCASE);
    case TPL_IS_TITLE: return (category_of(t, c) & IS(LT)) != 0;
    case TPL_IS_CASED:
        return is_also(t, c, IS(LU) | IS(LL) | IS(LT), TPL_UNICODE_LOWERCASE) ||
               is_in(TPL_UNICODE_UPPERCASE, c);
    case TPL_IS_CASE_IGNORED:
        return is_except(t, c, IS(MN) | IS(ME) | IS(CF) | IS(LM) | IS(SK), TPL_UNICODE_IGNORED);
    }
    return false;
}

int tpl_decimal_value(tpl *t, uint32_t c)
{
    const tpl_range *zero = range_before(TPL_UNICODE_ZERO, c);
    if (!zero || !tpl_char_has(t, c, TPL_DECIMAL)) return -1;
    return (int)(c - zero->from);
}

static const tpl_special *find_special(uint32_t c)
{
    size_t low = 0, high = tpl_unicode_n_special;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (tpl_unicode_special[middle].c < c) low = middle + 1;
        else high = middle;
    }
    return low < tpl_unicode_n_special && tpl_unicode_special[low].c == c ? &tpl_unicode_special[low] : NULL;
}

void tpl_add_upper(tpl_builder *b, uint32_t c)
{
    const tpl_special *special = c < 0x80 ? NULL : find_special(c);
    (void)category_of(b->t, c);
    if (special) tpl_add_string(b, special->upper);
    else tpl_add_char(b, (uint32_t)utf8proc_toupper((utf8proc_int32_t)c));
}

void tpl_add_title(tpl_builder *b, uint32_t c)
{
    const tpl_special *special = c < 0x80 ? NULL : find_special(c);
    (void)category_of(b->t, c);
    if (special) tpl_add_string(b, special->title);
    else tpl_add_char(b, (uint32_t)utf8proc_totitle((utf8proc_int32_t)c));
}

void tpl_add_lower(tpl_builder *b, uint32_t c)
{
    (void)category_of(b->t, c);
    if (c == 0x130) tpl_add_string(b, "i\xcc\x87"); /* the only one with several characters */
    else tpl_add_char(b, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c));
}

void tpl_add_folded(tpl_builder *b, uint32_t c)
{
    utf8proc_int32_t folded[8];
    int boundary = 0;
    (void)category_of(b->t, c);
    const utf8proc_ssize_t n =
        utf8proc_decompose_char((utf8proc_int32_t)c, folded, 8, UTF8PROC_CASEFOLD, &boundary);
    for (utf8proc_ssize_t i = 0; i < n && i < 8; i++) tpl_add_char(b, (uint32_t)folded[i]);
}
