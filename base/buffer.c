/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

void buffer_free(buffer *b)
{
    free(b->data);
    *b = (buffer){0};
}

bool buffer_reserve(buffer *b, size_t more)
{
    if (more <= b->room - b->n) return true;
    if (more > SIZE_MAX / 2 - b->n) return false;
    size_t room = b->room ? b->room : 64;
    while (room < b->n + more) room *= 2;
    char *data = realloc(b->data, room);
    if (!data) return false;
    b->data = data;
    b->room = room;
    return true;
}

bool buffer_append(buffer *b, const char *text, size_t n)
{
    if (!buffer_reserve(b, n)) return false;
    if (n > 0) memcpy(b->data + b->n, text, n);
    b->n += n;
    return true;
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
