/* A growable array of bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An all-zero struct is an empty buffer. data[0..n) is borrowed until the next call that grows the buffer.
 * room: the capacity of data, in bytes. */
typedef struct buffer {
    char *data;
    size_t n;
    size_t room;
} buffer;

void buffer_free(buffer *b);

/* Ensures capacity for `more` bytes after data[0..n). False if the allocation fails; b is unchanged then. */
bool buffer_reserve(buffer *b, size_t more);

/* Appends text[0..n), which must not lie in b. */
bool buffer_append(buffer *b, const char *text, size_t n);
bool buffer_append_char(buffer *b, uint32_t codepoint);

/* Removes the first n bytes. */
void buffer_drop(buffer *b, size_t n);

#endif
