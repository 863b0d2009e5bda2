/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/tests/writer.h"

#include "base/tests/support.h"

#include <string.h>

static void put(buffer *b, const void *bytes, size_t n)
{
    ck_assert(buffer_append(b, bytes, n));
}

void writer_u8(buffer *b, uint8_t value)
{
    put(b, &value, sizeof value);
}

void writer_u16(buffer *b, uint16_t value)
{
    put(b, &value, sizeof value);
}

void writer_u32(buffer *b, uint32_t value)
{
    put(b, &value, sizeof value);
}

void writer_u64(buffer *b, uint64_t value)
{
    put(b, &value, sizeof value);
}

void writer_f32(buffer *b, float value)
{
    put(b, &value, sizeof value);
}

void writer_f64(buffer *b, double value)
{
    put(b, &value, sizeof value);
}

void writer_text(buffer *b, const char *text)
{
    writer_u64(b, strlen(text));
    put(b, text, strlen(text));
}

void writer_header(buffer *b, uint64_t n_tensors, uint64_t n_keys)
{
    put(b, "GGUF", 4);
    writer_u32(b, 3);
    writer_u64(b, n_tensors);
    writer_u64(b, n_keys);
}

void writer_key(buffer *b, const char *key, gguf_kind kind)
{
    writer_text(b, key);
    writer_u32(b, kind);
}

void writer_array(buffer *b, const char *key, gguf_kind kind, uint64_t count)
{
    writer_key(b, key, GGUF_ARRAY);
    writer_u32(b, kind);
    writer_u64(b, count);
}

void writer_key_u32(buffer *b, const char *key, uint32_t value)
{
    writer_key(b, key, GGUF_U32);
    writer_u32(b, value);
}

void writer_key_text(buffer *b, const char *key, const char *value)
{
    writer_key(b, key, GGUF_TEXT);
    writer_text(b, value);
}

void writer_tensor(buffer *b, const char *name, uint32_t n_dims, const uint64_t *ne, uint32_t type,
                   uint64_t offset)
{
    writer_text(b, name);
    writer_u32(b, n_dims);
    for (uint32_t i = 0; i < n_dims; i++) writer_u64(b, ne[i]);
    writer_u32(b, type);
    writer_u64(b, offset);
}

void writer_align(buffer *b, size_t alignment)
{
    while (b->n % alignment != 0) writer_u8(b, 0);
}

void writer_zeros(buffer *b, size_t n)
{
    for (size_t i = 0; i < n; i++) writer_u8(b, 0);
}

const char *writer_file(buffer *b, const char *name)
{
    const char *path = support_write(support_tmpdir(), name, b->n > 0 ? b->data : "", b->n);
    buffer_free(b);
    *b = (buffer){0};
    return path;
}
