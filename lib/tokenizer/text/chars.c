/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/chars.h"

#include "tokenizer/text/chars_table.h"

#include <utf8proc.h>

static bool is_in(const chars_range *ranges, size_t n, uint32_t c)
{
    size_t from = 0, to = n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (ranges[middle].to < c) from = middle + 1;
        else to = middle;
    }
    return from < n && ranges[from].from <= c;
}

static bool is_exception(int list, uint32_t c)
{
    return is_in(chars_exceptions[list].ranges, chars_exceptions[list].n, c);
}

static utf8proc_category_t category_of(uint32_t c)
{
    return utf8proc_category((utf8proc_int32_t)c);
}

static bool is_between(utf8proc_category_t category, utf8proc_category_t first, utf8proc_category_t last)
{
    return category >= first && category <= last;
}

bool chars_is_white(uint32_t c)
{
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static bool is_ascii_letter(uint32_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_ascii_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

bool chars_is_word(uint32_t c)
{
    if (c < 0x80) return is_ascii_letter(c) || is_ascii_digit(c) || c == '_';
    const utf8proc_category_t category = category_of(c);
    const bool is =
        is_between(category, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) || category == UTF8PROC_CATEGORY_PC;
    return is != is_exception(CHARS_WORD, c);
}

bool chars_is_punctuation(uint32_t c)
{
    if (c < 0x80) return c > ' ' && c < 0x7f && !is_ascii_letter(c) && !is_ascii_digit(c);
    return is_between(category_of(c), UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO) !=
           is_exception(CHARS_PUNCTUATION, c);
}

bool chars_is_numeric(uint32_t c)
{
    if (c < 0x80) return is_ascii_digit(c);
    return is_between(category_of(c), UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO) !=
           is_exception(CHARS_NUMERIC, c);
}

bool chars_is_combining(uint32_t c)
{
    if (c < 0x80) return false;
    return is_between(category_of(c), UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME) !=
           is_exception(CHARS_COMBINING, c);
}

bool chars_is_nonspacing(uint32_t c)
{
    if (c < 0x80) return false;
    return (category_of(c) == UTF8PROC_CATEGORY_MN) != is_exception(CHARS_NONSPACING, c);
}

bool chars_is_control(uint32_t c)
{
    static const chars_range LATER[] = {
        {0x890, 0x891}, {0x8e2, 0x8e2}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}};
    if (c < 0x80) return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    const utf8proc_category_t category = category_of(c);
    const bool is = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
                    category == UTF8PROC_CATEGORY_CO;
    return is && !is_in(LATER, sizeof LATER / sizeof *LATER, c);
}

bool chars_is_chinese(uint32_t c)
{
    static const chars_range BLOCKS[] = {{0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},
                                         {0x20000, 0x2a6df}, {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f},
                                         {0x2b920, 0x2ceaf}, {0x2f800, 0x2fa1f}};
    return c >= 0x3400 && is_in(BLOCKS, sizeof BLOCKS / sizeof *BLOCKS, c);
}

uint8_t chars_class(uint32_t c)
{
    if (c < 0x300) return 0;
    const utf8proc_propval_t class = utf8proc_get_property((utf8proc_int32_t)c)->combining_class;
    return class == 0 || is_exception(CHARS_CLASS_ZERO, c) ? 0 : (uint8_t) class;
}

bool chars_is_whole(uint32_t c)
{
    return is_exception(CHARS_WHOLE, c);
}

/* The lower case of capitals of Unicode 16 and 17, which Rust has and utf8proc lacks. */
static uint32_t later_lower(uint32_t c)
{
    if (c >= 0x10d50 && c <= 0x10d65) return c + 0x20;
    if (c >= 0x16ea0 && c <= 0x16eb8) return c + 0x1b;
    switch (c) {
    case 0xa7cb: return 0x264;
    case 0xa7dc: return 0x19b;
    case 0x1c89:
    case 0xa7cc:
    case 0xa7ce:
    case 0xa7d2:
    case 0xa7d4:
    case 0xa7da: return c + 1;
    default: return c;
    }
}

int chars_lower(uint32_t c, uint32_t *out)
{
    if (c < 0x80) {
        out[0] = c >= 'A' && c <= 'Z' ? c + 0x20 : c;
        return 1;
    }
    if (c == 0x130) { /* I with a dot above: the only character whose lower case has two characters */
        out[0] = 'i';
        out[1] = 0x307;
        return 2;
    }
    const uint32_t lower = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
    out[0] = lower != c ? lower : later_lower(c);
    return 1;
}
