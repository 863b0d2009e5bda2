/* Bytes that grow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is an empty one. data[0..n) is borrowed until the next call that grows it. */
typedef struct buffer {
    char *data;
    size_t n;
    size_t room;
} buffer;

void buffer_free(buffer *b);

/* Reserves capacity for `more` bytes after data[n]. False if out of memory; b is unchanged then. */
bool buffer_reserve(buffer *b, size_t more);

/* Appends text[0..n), which must not lie in b. */
bool buffer_append(buffer *b, const char *text, size_t n);
bool buffer_append_char(buffer *b, uint32_t codepoint);

/* Takes the first n bytes away. */
void buffer_drop(buffer *b, size_t n);

#endif
