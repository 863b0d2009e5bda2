/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/text/span.h"

#include "base/category.h"
#include "base/utf8.h"
#include "dialogue/text/text.h"

bool serve_span_ends(assay_text text, const char *in)
{
    const size_t n = strlen(in);
    return text.n >= n && memcmp(text.at + text.n - n, in, n) == 0;
}

bool serve_span_equals(assay_text text, const char *other)
{
    return text.n == strlen(other) && serve_span_starts(text, other);
}

size_t serve_span_find(assay_text text, size_t from, const char *what)
{
    return serve_span_find_next(text, &from, what);
}

/* Most searched texts are short, or have few bytes that `what` begins with: the preparation of memmem would
 * take longer than this search. */
size_t serve_span_find_next(assay_text text, size_t *seen, const char *what)
{
    for (; *seen < text.n; ++*seen) {
        const char *first = memchr(text.at + *seen, what[0], text.n - *seen);
        *seen = first ? (size_t)(first - text.at) : text.n;
        const assay_text rest = serve_span_from(text, *seen);
        const size_t n = serve_span_alike(rest, what);
        if (what[n] == '\0') {
            *seen += n;
            return *seen - n;
        }
        if (n == rest.n) break;
    }
    return SERVE_NOWHERE;
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
    uint32_t c;
    for (size_t bytes; n < text.n; n += bytes) {
        bytes = utf8_decode(text.at + n, text.n - n, &c, NULL);
        if (c != '_' && !utf8_is_alphanumeric(c)) break;
    }
    return n;
}
