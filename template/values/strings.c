/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/strings.h"

#include <string.h>
#include <utf8proc.h>

#include "base/category.h"
#include "base/utf8.h"

/* Ensures capacity for n more bytes. */
static bool reserve(tpl_builder *b, size_t n)
{
    if (n <= b->capacity - b->n) return tpl_step(b->t, n / 64);
    size_t capacity = b->capacity ? 2 * b->capacity : 32;
    if (capacity < b->n + n) capacity = b->n + n;
    char *data = tpl_alloc(b->t, capacity, 1);
    if (!data) return false;
    if (b->n > 0) memcpy(data, b->data, b->n);
    b->data = data;
    b->capacity = capacity;
    return tpl_step(b->t, n / 64);
}

void tpl_add(tpl_builder *b, const char *at, size_t n)
{
    if (n == 0 || !reserve(b, n)) return;
    memcpy(b->data + b->n, at, n);
    b->n += n;
}

void tpl_add_string(tpl_builder *b, const char *terminated)
{
    tpl_add(b, terminated, strlen(terminated));
}

void tpl_add_char(tpl_builder *b, uint32_t codepoint)
{
    char bytes[UTF8_LENGTH_MAX];
    tpl_add(b, bytes, utf8_encode(bytes, codepoint));
}

void tpl_add_repeated(tpl_builder *b, assay_text text, size_t n)
{
    if (text.n == 0 || n == 0) return;
    if (n > TPL_BYTES_MAX / text.n) n = TPL_BYTES_MAX / text.n + 1; /* which is refused */
    if (!reserve(b, n * text.n)) return;
    for (size_t i = 0; i < n; i++, b->n += text.n) memcpy(b->data + b->n, text.at, text.n);
}

tpl_value tpl_built(const tpl_builder *b)
{
    return tpl_text(b->data, b->n);
}

static bool is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
           c == 0x3000;
}

size_t tpl_space_prefix(assay_text text)
{
    size_t at = 0;
    while (at < text.n) {
        uint32_t c;
        const size_t n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (!is_space(c)) break;
        at += n;
    }
    return at;
}

assay_text tpl_strip_left(assay_text text)
{
    const size_t n = tpl_space_prefix(text);
    return (assay_text){.at = text.at + n, .n = text.n - n};
}

assay_text tpl_strip_right(assay_text text)
{
    while (text.n > 0) {
        uint32_t c;
        const size_t before = utf8_before(text.at, text.n);
        (void)utf8_decode(text.at + before, text.n - before, &c, NULL);
        if (!is_space(c)) break;
        text.n = before;
    }
    return text;
}

static bool has_char(tpl *t, assay_text chars, const char *at, size_t n)
{
    return tpl_find(t, chars, (assay_text){.at = at, .n = n}, 0) != SIZE_MAX;
}

assay_text tpl_strip_chars(tpl *t, assay_text text, assay_text chars, bool left, bool right)
{
    uint32_t c;
    while (left && text.n > 0) {
        const size_t n = utf8_decode(text.at, text.n, &c, NULL);
        if (!has_char(t, chars, text.at, n)) break;
        text.at += n, text.n -= n;
    }
    while (right && text.n > 0) {
        const size_t before = utf8_before(text.at, text.n);
        if (!has_char(t, chars, text.at + before, text.n - before)) break;
        text.n = before;
    }
    return text;
}

size_t tpl_length(assay_text text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return n;
}

size_t tpl_offset(assay_text text, size_t i)
{
    size_t at = 0;
    for (; at < text.n; at++)
        if (((unsigned char)text.at[at] & 0xc0) != 0x80 && i-- == 0) break;
    return at;
}

size_t tpl_find(tpl *t, assay_text text, assay_text needle, size_t from)
{
    if (from > text.n || !tpl_step(t, 1 + (text.n - from) / 64)) return SIZE_MAX;
    if (needle.n == 0) return from;
    const char *found = memmem(text.at + from, text.n - from, needle.at, needle.n);
    return found ? (size_t)(found - text.at) : SIZE_MAX;
}

size_t tpl_find_last(tpl *t, assay_text text, assay_text needle, size_t end)
{
    if (end > text.n || needle.n > end) return SIZE_MAX;
    for (size_t at = end - needle.n + 1; at-- > 0 && tpl_step(t, 1);)
        if (memcmp(text.at + at, needle.at, needle.n) == 0) return at;
    return SIZE_MAX;
}

/* str.replace of an empty text: inserts `to` before each character and at the end. */
static tpl_value insert_between(tpl *t, assay_text text, assay_text to, int64_t count)
{
    tpl_builder b = {.t = t};
    uint32_t c;
    size_t n;
    for (size_t at = 0; at < text.n && tpl_step(t, 1); at += n) {
        if (count-- != 0) tpl_add(&b, to.at, to.n);
        else count = 0;
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        tpl_add(&b, text.at + at, n);
    }
    if (count != 0) tpl_add(&b, to.at, to.n);
    return tpl_built(&b);
}

tpl_value tpl_replace(tpl *t, assay_text text, assay_text from, assay_text to, int64_t count)
{
    tpl_builder b = {.t = t};
    size_t at = 0, found;
    if (from.n == 0) return insert_between(t, text, to, count < 0 ? INT64_MAX : count);
    while (count != 0 && (found = tpl_find(t, text, from, at)) != SIZE_MAX) {
        tpl_add(&b, text.at + at, found - at);
        tpl_add(&b, to.at, to.n);
        at = found + from.n;
        count -= count > 0;
    }
    if (at == 0) return tpl_text(text.at, text.n);
    tpl_add(&b, text.at + at, text.n - at);
    return tpl_built(&b);
}

tpl_value tpl_escape(tpl *t, assay_text text)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
    tpl_builder b = {.t = t};
    for (size_t i = 0; i < text.n; i++) {
        const char *special = text.at[i] ? strchr("&<>'\"", text.at[i]) : NULL;
        if (special) tpl_add_string(&b, entities[special - strchr("&<>'\"", '&')]);
        else tpl_add(&b, text.at + i, 1);
    }
    tpl_value v = tpl_built(&b);
    v.safe = true;
    return v;
}

/* Whether another case of c is several characters, or depends on its neighbours (SpecialCasing.txt). */
static bool is_special(uint32_t c, bool to_lower)
{
    if (to_lower) return c == 0x130 || c == 0x3a3;
    return c == 0x149 || c == 0x1f0 || c == 0x390 || c == 0x3b0 || c == 0x587 ||
           (c >= 0x1e96 && c <= 0x1e9a) || (c >= 0x1f50 && c <= 0x1f56) || (c >= 0x1f80 && c <= 0x1ffc) ||
           (c >= 0xfb00 && c <= 0xfb17);
}

static void add_cased(tpl_builder *b, uint32_t c, tpl_case to)
{
    const bool lower = to == TPL_LOWER;
    if (c >= 0x80 && is_special(c, lower))
        (void)tpl_fail(b->t, ASSAY_EUNSUPPORTED, "the other case of U+%04X is not supported", (unsigned)c);
    if (c == 0xdf && !lower) tpl_add_string(b, to == TPL_UPPER ? "SS" : "Ss");
    else if (lower) tpl_add_char(b, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c));
    else if (to == TPL_UPPER) tpl_add_char(b, (uint32_t)utf8proc_toupper((utf8proc_int32_t)c));
    else tpl_add_char(b, (uint32_t)utf8proc_totitle((utf8proc_int32_t)c));
}

static bool is_cased(uint32_t c)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
           category == UTF8PROC_CATEGORY_LT;
}

tpl_value tpl_change_case(tpl *t, assay_text text, tpl_case to)
{
    tpl_builder b = {.t = t};
    bool begins = true; /* a word, or for TPL_CAPITALIZE the text */
    uint32_t c;
    size_t n;
    for (size_t at = 0; at < text.n && tpl_step(t, 1); at += n) {
        n = utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (to == TPL_UPPER || to == TPL_LOWER) add_cased(&b, c, to);
        else if (begins) add_cased(&b, c, to == TPL_TITLE_WORDS ? TPL_UPPER : TPL_TITLE);
        else add_cased(&b, c, TPL_LOWER);
        if (to == TPL_TITLE) begins = !is_cased(c);
        else begins = to == TPL_TITLE_WORDS && (is_space(c) || (c < 0x80 && strchr("-({[<", (int)c)));
    }
    return tpl_built(&b);
}

static bool in_class(uint32_t c, const char *name)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
    const bool digit = category == UTF8PROC_CATEGORY_ND;
    if (strcmp(name, "alpha") == 0) return letter;
    if (strcmp(name, "digit") == 0) return digit;
    if (strcmp(name, "alnum") == 0) return utf8_is_alphanumeric(c);
    return is_space(c);
}

bool tpl_has_class(assay_text text, const char *name)
{
    const bool upper = strcmp(name, "upper") == 0, lower = strcmp(name, "lower") == 0;
    bool any = false, all = true;
    uint32_t c;
    for (size_t at = 0; at < text.n;) {
        at += utf8_decode(text.at + at, text.n - at, &c, NULL);
        if (upper || lower) {
            const bool small = utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_LL;
            all = all && (!is_cased(c) || small == lower);
            any = any || is_cased(c);
        } else {
            all = all && in_class(c, name);
            any = true;
        }
    }
    return any && all;
}

bool tpl_is_printable(uint32_t codepoint)
{
    const utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)codepoint);
    if (codepoint == ' ') return true;
    return category != UTF8PROC_CATEGORY_CN && !(category >= UTF8PROC_CATEGORY_ZS);
}
