/* Reads a GGUF file from its begin, and checks every length against the bytes that are left.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_CURSOR_H
#define GGUF_CURSOR_H

#include <assay/serving.h>

#include <stddef.h>
#include <stdint.h>

#define GGUF_PLACE_MAX 160

typedef struct gguf_cursor {
    const char *path;           /* for messages */
    const unsigned char *bytes; /* [n] */
    size_t n, at;               /* at <= n */
    char place[GGUF_PLACE_MAX]; /* for messages: "key 'general.name': ", or "" */
    assay_error *err;           /* may be NULL */
} gguf_cursor;

/* Sets the place to "WHAT 'name': ", shown as base/shown.h says; what NULL: to "". */
void gguf_cursor_set_place(gguf_cursor *c, const char *what, assay_text name);

/* Returns the status with the message "PATH: PLACE…". */
assay_status gguf_cursor_fail(const gguf_cursor *c, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each reads a value and moves behind it, or fails with ASSAY_EFORMAT if the file is too short; `what` names
 * the value in the message. A text is a length of 8 bytes and as many bytes of any kind, borrowed from the
 * file. */
assay_status gguf_cursor_u32(gguf_cursor *c, const char *what, uint32_t *out);
assay_status gguf_cursor_u64(gguf_cursor *c, const char *what, uint64_t *out);
assay_status gguf_cursor_text(gguf_cursor *c, const char *what, assay_text *out);

/* Moves behind n elements of `size` bytes each. */
assay_status gguf_cursor_skip(gguf_cursor *c, const char *what, uint64_t n, size_t size);

/* Reads a text that names something: 1 to `most` bytes of UTF-8 without control characters. */
assay_status gguf_cursor_name(gguf_cursor *c, const char *what, size_t most, assay_text *out);

#endif
