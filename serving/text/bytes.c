/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/text/bytes.h"

#include "base/json_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void serve_bytes_free(serve_bytes *b)
{
    free(b->at);
    *b = (serve_bytes){0};
}

bool serve_bytes_reserve(serve_bytes *b, size_t n)
{
    if (b->failed) return false;
    size_t capacity = b->capacity > 0 ? b->capacity : 256;
    while (capacity - b->n < n && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *at = capacity - b->n >= n ? realloc(b->at, capacity) : NULL;
    if (!at) {
        b->failed = true;
        return false;
    }
    b->at = at;
    b->capacity = capacity;
    return true;
}

void serve_bytes_add_string(serve_bytes *b, const char *terminated)
{
    serve_bytes_add(b, terminated, strlen(terminated));
}

void serve_bytes_drop(serve_bytes *b, size_t n)
{
    if (n == 0) return;
    if (n < b->n) memmove(b->at, b->at + n, b->n - n);
    b->n -= n;
}

static void escape_ascii(serve_bytes *b, char c)
{
    static const char NAMED[] = "\"\\\b\f\n\r\t", LETTER[] = "\"\\bfnrt";
    const char *named = c != '\0' ? strchr(NAMED, c) : NULL;
    if (named) {
        const char escape[] = {'\\', LETTER[named - NAMED]};
        serve_bytes_add(b, escape, sizeof escape);
        return;
    }
    char unit[8];
    snprintf(unit, sizeof unit, "\\u%04x", (unsigned)c);
    serve_bytes_add_string(b, unit);
}

void serve_bytes_add_escaped(serve_bytes *b, assay_text text)
{
    if (text.n == 0) return;
    for (const char *at = text.at, *end = text.at + text.n;; at++) {
        const char *plain = at;
        at = json_text_skip_plain(at, end);
        serve_bytes_add(b, plain, (size_t)(at - plain));
        if (at == end) break;
        if ((unsigned char)*at >= 0x80) serve_bytes_add_string(b, "\xEF\xBF\xBD");
        else escape_ascii(b, *at);
    }
}

void serve_bytes_add_quoted(serve_bytes *b, assay_text text)
{
    serve_bytes_add(b, "\"", 1);
    serve_bytes_add_escaped(b, text);
    serve_bytes_add(b, "\"", 1);
}

assay_text serve_bytes_text(const serve_bytes *b)
{
    return (assay_text){.at = b->at, .n = b->n};
}
