/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/span.h"

#include "serving/text.h"

#include <string.h>

assay_text serve_span_from(assay_text text, size_t from)
{
    return (assay_text){.at = text.at + from, .n = text.n - from};
}

assay_text serve_span_part(assay_text text, size_t from, size_t to)
{
    return (assay_text){.at = text.at + from, .n = to - from};
}

bool serve_span_starts(assay_text text, const char *with)
{
    const size_t n = strlen(with);
    return text.n >= n && memcmp(text.at, with, n) == 0;
}

bool serve_span_ends(assay_text text, const char *in)
{
    const size_t n = strlen(in);
    return text.n >= n && memcmp(text.at + text.n - n, in, n) == 0;
}

bool serve_span_equals(assay_text text, const char *other)
{
    return text.n == strlen(other) && serve_span_starts(text, other);
}

bool serve_span_begins(assay_text text, const char *whole)
{
    return text.n < strlen(whole) && (text.n == 0 || memcmp(text.at, whole, text.n) == 0);
}

size_t serve_span_find(assay_text text, size_t from, const char *what)
{
    if (from >= text.n) return SERVE_NOWHERE;
    const char *found = memmem(text.at + from, text.n - from, what, strlen(what));
    return found ? (size_t)(found - text.at) : SERVE_NOWHERE;
}

size_t serve_span_find_next(assay_text text, size_t *seen, const char *what)
{
    const size_t n = strlen(what), at = serve_span_find(text, *seen, what);
    if (at != SERVE_NOWHERE) *seen = at + n;
    else if (text.n >= n && text.n - (n - 1) > *seen)
        *seen = text.n - (n - 1); /* what stands there may be its beginning */
    return at;
}

size_t serve_span_skip(assay_text text, size_t from)
{
    size_t n;
    while (from < text.n && (n = serve_text_space(text.at + from, text.n - from)) > 0) from += n;
    return from;
}

assay_text serve_span_trim_end(assay_text text)
{
    while (text.n > 0) {
        size_t n = 1;
        while (n < 3 && n < text.n && ((unsigned char)text.at[text.n - n] & 0xC0) == 0x80) n++;
        if (serve_text_space(text.at + text.n - n, n) != n) break;
        text.n -= n;
    }
    return text;
}

assay_text serve_span_trim(assay_text text)
{
    if (text.n == 0) return text;
    return serve_span_trim_end(serve_span_from(text, serve_span_skip(text, 0)));
}

size_t serve_span_word(assay_text text)
{
    size_t n = 0;
    for (; n < text.n; n++) {
        const unsigned char c = (unsigned char)text.at[n];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        if (!letter && !(c >= '0' && c <= '9')) break;
    }
    return n;
}
