/* A growable buffer of bytes. A failed allocation is recorded in it, so callers check once, after all
 * additions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TEXT_BYTES_H
#define SERVING_TEXT_BYTES_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct serve_bytes {
    char *at; /* [n], not terminated; owned */
    size_t n;
    size_t capacity;
    bool failed; /* an allocation failed; later additions are lost */
} serve_bytes;

void serve_bytes_free(serve_bytes *b);

/* Reserves capacity for n more bytes. False, with b->failed set, if memory runs out. */
bool serve_bytes_reserve(serve_bytes *b, size_t n);

/* text: [n], must not overlap b. */
static inline void serve_bytes_add(serve_bytes *b, const char *text, size_t n)
{
    if (n == 0 || b->failed || (n > b->capacity - b->n && !serve_bytes_reserve(b, n))) return;
    memcpy(b->at + b->n, text, n);
    b->n += n;
}

void serve_bytes_add_string(serve_bytes *b, const char *terminated);

/* Removes the first n bytes. */
void serve_bytes_drop(serve_bytes *b, size_t n);

/* Adds text escaped as within a JSON string, or with its quotes; invalid UTF-8 becomes U+FFFD. */
void serve_bytes_add_escaped(serve_bytes *b, assay_text text);
void serve_bytes_add_quoted(serve_bytes *b, assay_text text);

/* Borrowed until b changes. */
assay_text serve_bytes_text(const serve_bytes *b);

#endif
