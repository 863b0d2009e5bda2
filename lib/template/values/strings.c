/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/strings.h"

#include <string.h>

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
    const size_t n = utf8_encode(bytes, codepoint);
    tpl_add(b, bytes, n);
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

bool tpl_is_space(uint32_t c)
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
        if (!tpl_is_space(c)) break;
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
        if (!tpl_is_space(c)) break;
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

bool tpl_size(tpl_value v, size_t *n)
{
    if (v.kind == TPL_STRING) *n = tpl_length(v.text);
    else if (v.kind == TPL_DICT) *n = v.dict->n;
    else if (v.kind == TPL_UNDEFINED) *n = 0;
    else if (v.kind == TPL_LIST && v.list->kind != TPL_ITERATOR) *n = v.list->n;
    else return false;
    return true;
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
