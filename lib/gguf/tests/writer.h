/* Writes GGUF files for tests, valid or with one defect.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_TESTS_WRITER_H
#define GGUF_TESTS_WRITER_H

#include "base/buffer.h"
#include "gguf/value.h"

#include <stdint.h>

void writer_u8(buffer *b, uint8_t value);
void writer_u16(buffer *b, uint16_t value);
void writer_u32(buffer *b, uint32_t value);
void writer_u64(buffer *b, uint64_t value);
void writer_f32(buffer *b, float value);
void writer_f64(buffer *b, double value);
void writer_text(buffer *b, const char *text);

/* Magic, version 3 and the two counts. */
void writer_header(buffer *b, uint64_t n_tensors, uint64_t n_keys);

/* A key and its kind; the value follows. */
void writer_key(buffer *b, const char *key, gguf_kind kind);
void writer_array(buffer *b, const char *key, gguf_kind kind, uint64_t count);
void writer_key_u32(buffer *b, const char *key, uint32_t value);
void writer_key_text(buffer *b, const char *key, const char *value);

/* ne: [n_dims]. */
void writer_tensor(buffer *b, const char *name, uint32_t n_dims, const uint64_t *ne, uint32_t type,
                   uint64_t offset);

/* Zeros up to the next multiple of `alignment`. */
void writer_align(buffer *b, size_t alignment);
void writer_zeros(buffer *b, size_t n);

/* Writes the buffer to a file of this name in the tests' directory, and frees it. */
const char *writer_file(buffer *b, const char *name);

#endif
