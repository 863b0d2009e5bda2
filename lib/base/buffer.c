/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/utf8.h"

void buffer_free(buffer *b)
{
    free(b->data);
    *b = (buffer){0};
}

bool buffer_reserve(buffer *b, size_t more)
{
    if (b->failed) return false;
    char *data = more <= SIZE_MAX - b->n ? grow_to(b->data, &b->capacity, b->n + more, 1) : NULL;
    b->failed = !data;
    if (data) b->data = data;
    return data;
}

bool buffer_append_text(buffer *b, assay_text text)
{
    return buffer_append(b, text.at, text.n);
}

bool buffer_append_string(buffer *b, const char *terminated)
{
    return buffer_append(b, terminated, strlen(terminated));
}

bool buffer_append_char(buffer *b, uint32_t codepoint)
{
    if (!buffer_reserve(b, 4)) return false;
    b->n += utf8_encode(b->data + b->n, codepoint);
    return true;
}

void buffer_drop(buffer *b, size_t n)
{
    if (n == 0) return;
    memmove(b->data, b->data + n, b->n - n);
    b->n -= n;
}

assay_text buffer_text(const buffer *b)
{
    return b->n > 0 ? (assay_text){b->data, b->n} : (assay_text){"", 0};
}
