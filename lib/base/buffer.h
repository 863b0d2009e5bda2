/* A growable array of bytes. A failed allocation is recorded in it, so a caller may check once, after all
 * additions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An all-zero struct is an empty buffer. data[0..n) is borrowed until the next call that grows the buffer. */
typedef struct buffer {
    char *data; /* [n], not terminated; owned */
    size_t n;
    size_t capacity;
    bool failed; /* an allocation failed; later additions are lost */
} buffer;

void buffer_free(buffer *b);

/* The functions that add return false if an allocation fails, or has failed before; the buffer is unchanged
 * then but for b->failed. Text that is added must not lie in the buffer. */

/* Ensures capacity for `more` bytes after data[0..n). */
bool buffer_reserve(buffer *b, size_t more);

static inline bool buffer_append(buffer *b, const char *text, size_t n)
{
    if (b->failed || (n > b->capacity - b->n && !buffer_reserve(b, n))) return false;
    if (n > 0) memcpy(b->data + b->n, text, n);
    b->n += n;
    return true;
}

bool buffer_append_text(buffer *b, assay_text text);
bool buffer_append_string(buffer *b, const char *terminated);
bool buffer_append_char(buffer *b, uint32_t codepoint);

/* Removes the first n bytes. */
void buffer_drop(buffer *b, size_t n);

/* Borrowed until b changes; an empty text if there are no bytes. */
assay_text buffer_text(const buffer *b);

#endif
