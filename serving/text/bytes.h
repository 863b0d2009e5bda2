/* A text that grows. What cannot be had is remembered: whoever adds checks once, at the end.
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
    size_t room;
    bool failed; /* memory ran out: what was added since is missing */
} serve_bytes;

void serve_bytes_free(serve_bytes *b);

/* Makes room for n bytes more. False where there is none: b has failed. */
bool serve_bytes_reserve(serve_bytes *b, size_t n);

/* text: [n], not within b. */
static inline void serve_bytes_add(serve_bytes *b, const char *text, size_t n)
{
    if (n == 0 || b->failed || (n > b->room - b->n && !serve_bytes_reserve(b, n))) return;
    memcpy(b->at + b->n, text, n);
    b->n += n;
}

void serve_bytes_add_string(serve_bytes *b, const char *terminated);

/* Takes the first n bytes away. */
void serve_bytes_drop(serve_bytes *b, size_t n);

/* Adds the inside of a JSON string, or the whole with its quotes: what is not UTF-8 becomes U+FFFD. */
void serve_bytes_add_escaped(serve_bytes *b, assay_text text);
void serve_bytes_add_quoted(serve_bytes *b, assay_text text);

/* Borrowed until b changes. */
assay_text serve_bytes_text(const serve_bytes *b);

#endif
