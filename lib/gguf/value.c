/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/value.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} KINDS[GGUF_N_KINDS] = {
    [GGUF_U8] = {"u8", 1},       [GGUF_I8] = {"i8", 1},     [GGUF_U16] = {"u16", 2},
    [GGUF_I16] = {"i16", 2},     [GGUF_U32] = {"u32", 4},   [GGUF_I32] = {"i32", 4},
    [GGUF_F32] = {"f32", 4},     [GGUF_BOOL] = {"bool", 1}, [GGUF_TEXT] = {"string", 0},
    [GGUF_ARRAY] = {"array", 0}, [GGUF_U64] = {"u64", 8},   [GGUF_I64] = {"i64", 8},
    [GGUF_F64] = {"f64", 8},
};

const char *gguf_kind_name(gguf_kind kind)
{
    assert(kind < GGUF_N_KINDS);
    return KINDS[kind].name;
}

size_t gguf_kind_size(gguf_kind kind)
{
    assert(kind < GGUF_N_KINDS);
    return KINDS[kind].size;
}

static bool is_signed(gguf_kind kind)
{
    return kind == GGUF_I8 || kind == GGUF_I16 || kind == GGUF_I32 || kind == GGUF_I64;
}

static bool is_integer(gguf_kind kind)
{
    return is_signed(kind) || kind == GGUF_U8 || kind == GGUF_U16 || kind == GGUF_U32 || kind == GGUF_U64;
}

/* The bits of an integer, with its sign extended. */
static uint64_t read_bits(const gguf_value *v, size_t index)
{
    const size_t size = gguf_kind_size(v->kind);
    const unsigned char *at = v->data + index * size;
    uint64_t bits = is_signed(v->kind) && at[size - 1] >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = size; i-- > 0;) bits = bits << 8 | at[i];
    return bits;
}

bool gguf_value_unsigned(const gguf_value *v, size_t index, uint64_t *out)
{
    assert(index < v->count);
    if (!is_integer(v->kind)) return false;
    const uint64_t bits = read_bits(v, index);
    if (is_signed(v->kind) && bits > INT64_MAX) return false;
    *out = bits;
    return true;
}

bool gguf_value_number(const gguf_value *v, size_t index, double *out)
{
    assert(index < v->count);
    if (v->kind == GGUF_F32) {
        float f;
        memcpy(&f, v->data + index * sizeof f, sizeof f);
        *out = (double)f;
    } else if (v->kind == GGUF_F64) {
        memcpy(out, v->data + index * sizeof *out, sizeof *out);
    } else if (is_integer(v->kind)) {
        const uint64_t bits = read_bits(v, index);
        *out = is_signed(v->kind) ? (double)(int64_t)bits : (double)bits;
    } else {
        return false;
    }
    return true;
}

bool gguf_value_bool(const gguf_value *v, size_t index, bool *out)
{
    assert(index < v->count);
    if (v->kind != GGUF_BOOL) return false;
    *out = v->data[index] != 0;
    return true;
}

gguf_texts gguf_value_texts(const gguf_value *v)
{
    assert(v->kind == GGUF_TEXT);
    return (gguf_texts){v->data, v->count};
}

bool gguf_texts_next(gguf_texts *t, assay_text *out)
{
    if (t->left == 0) return false;
    uint64_t n;
    memcpy(&n, t->next, sizeof n);
    *out = (assay_text){(const char *)t->next + sizeof n, (size_t)n};
    t->next += sizeof n + (size_t)n;
    t->left--;
    return true;
}
