/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/type.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"

/* Classes of the format. */
enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1, CLASS_TEXT = 3, CLASS_VARIABLE = 9 };

#define VERSION_MAX        5U
#define BIT_BIG            1U
#define BIT_VAX            64U
#define BIT_SIGNED         8U
#define INTEGER_PADDING    6U
#define FLOAT_PADDING      14U
#define MANTISSA_IMPLIED   2U /* the normalisation of IEEE 754 */
#define IS_STRING          1U
#define PADDED_WITH_SPACES 2U

/* The dtype of an integer without padding bits, in either byte order. */
static assay_dtype integer_of(unsigned bits, size_t size, conf_bytes *b)
{
    static const assay_dtype unsigned_of[] = {
        [1] = ASSAY_U8, [2] = ASSAY_U16, [4] = ASSAY_U32, [8] = ASSAY_U64};
    static const assay_dtype signed_of[] = {
        [1] = ASSAY_I8, [2] = ASSAY_I16, [4] = ASSAY_I32, [8] = ASSAY_I64};
    uint64_t offset = conf_bytes_number(b, 2), precision = conf_bytes_number(b, 2);
    if (size > 8 || offset != 0 || precision != 8 * size || (bits & INTEGER_PADDING)) return ASSAY_DTYPE_NONE;
    return (bits & BIT_SIGNED ? signed_of : unsigned_of)[size];
}

static assay_dtype float_of(unsigned bits, size_t size, conf_bytes *b)
{
    static const struct {
        size_t size;
        unsigned exponent, mantissa, bias; /* bits, bits */
        assay_dtype dtype;
    } known[] = {{8, 11, 52, 1023, ASSAY_F64},
                 {4, 8, 23, 127, ASSAY_F32},
                 {2, 5, 10, 15, ASSAY_F16},
                 {2, 8, 7, 127, ASSAY_BF16}};
    uint64_t offset = conf_bytes_number(b, 2), precision = conf_bytes_number(b, 2);
    uint64_t exponent_at = conf_bytes_number(b, 1), exponent = conf_bytes_number(b, 1);
    uint64_t mantissa_at = conf_bytes_number(b, 1), mantissa = conf_bytes_number(b, 1);
    uint64_t bias = conf_bytes_number(b, 4);
    unsigned sign_at = bits >> 8 & 0xffU, normalisation = bits >> 4 & 3U;
    if (offset != 0 || precision != 8 * size || sign_at + 1 != precision || mantissa_at != 0 ||
        exponent_at != mantissa || normalisation != MANTISSA_IMPLIED || (bits & (FLOAT_PADDING | BIT_VAX)))
        return ASSAY_DTYPE_NONE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size == known[i].size && exponent == known[i].exponent && mantissa == known[i].mantissa &&
            bias == known[i].bias)
            return known[i].dtype;
    return ASSAY_DTYPE_NONE;
}

bool conf_h5_type_decode(conf_bytes b, conf_h5_type *out)
{
    unsigned start = (unsigned)conf_bytes_number(&b, 1), bits = (unsigned)conf_bytes_number(&b, 3);
    unsigned version = start >> 4;
    conf_h5_type type = {.class = CONF_H5_OTHER, .size = (size_t)conf_bytes_number(&b, 4)};
    if (b.bad || version < 1 || version > VERSION_MAX || type.size == 0) return false;
    switch (start & 15U) {
    case CLASS_INTEGER:
        type.dtype = integer_of(bits, type.size, &b);
        type.class = type.dtype == ASSAY_DTYPE_NONE ? CONF_H5_INTEGER : CONF_H5_NUMBER;
        type.big = bits & BIT_BIG;
        break;
    case CLASS_FLOAT:
        type.dtype = float_of(bits, type.size, &b);
        type.class = type.dtype == ASSAY_DTYPE_NONE ? CONF_H5_FLOAT : CONF_H5_NUMBER;
        type.big = bits & BIT_BIG;
        break;
    case CLASS_TEXT:
        type.class = CONF_H5_TEXT;
        type.space_padded = (bits & 15U) == PADDED_WITH_SPACES;
        break;
    case CLASS_VARIABLE:
        if ((bits & 15U) == IS_STRING) type.class = CONF_H5_TEXT_VARIABLE;
        if (type.class == CONF_H5_TEXT_VARIABLE && type.size != 16) return false;
        break;
    default: break;
    }
    if (!b.bad) *out = type;
    return !b.bad;
}

bool conf_h5_space_decode(conf_bytes b, conf_h5_space *out)
{
    enum { HAS_MOST = 1, V1_RESERVED = 5, SCALAR = 0, SIMPLE = 1, EMPTY = 2 };
    conf_h5_space space = {0};
    unsigned version = (unsigned)conf_bytes_number(&b, 1);
    space.rank = (size_t)conf_bytes_number(&b, 1);
    unsigned flags = (unsigned)conf_bytes_number(&b, 1), kind = space.rank ? SIMPLE : SCALAR;
    if (version == 1) (void)conf_bytes_next(&b, V1_RESERVED);
    else if (version == 2) kind = (unsigned)conf_bytes_number(&b, 1);
    else return false;
    if (space.rank > CONF_H5_RANK_MAX || kind > EMPTY || (kind != SIMPLE && space.rank > 0)) return false;
    space.is_null = kind == EMPTY;
    for (size_t i = 0; i < space.rank; i++) space.most[i] = space.shape[i] = conf_bytes_number(&b, 8);
    for (size_t i = 0; i < space.rank && (flags & HAS_MOST); i++) {
        space.most[i] = conf_bytes_number(&b, 8);
        if (space.most[i] < space.shape[i]) return false;
    }
    if (!b.bad) *out = space;
    return !b.bad;
}

void conf_h5_type_print(char *text, size_t size, const conf_h5_type *type)
{
    size_t bits = type->size * 8;
    if (type->class == CONF_H5_NUMBER) (void)snprintf(text, size, "%s", dtype_name(type->dtype));
    else if (type->class == CONF_H5_FLOAT) (void)snprintf(text, size, "float of %zu bits", bits);
    else if (type->class == CONF_H5_INTEGER) (void)snprintf(text, size, "integer of %zu bits", bits);
    else (void)snprintf(text, size, "%s", type->class == CONF_H5_OTHER ? "compound or other" : "text");
}

assay_dtype conf_h5_type_widened(const conf_h5_type *type)
{
    return type->dtype == ASSAY_F16 || type->dtype == ASSAY_BF16 ? ASSAY_F32 : type->dtype;
}

static bool is_big_machine(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

bool conf_h5_type_is_native(const conf_h5_type *type)
{
    bool ordered = type->class != CONF_H5_NUMBER || type->size == 1 || type->big == is_big_machine();
    return ordered && conf_h5_type_widened(type) == type->dtype;
}

static void reverse_bytes(unsigned char *into, const unsigned char *from, size_t size)
{
    unsigned char copy[8];
    memcpy(copy, from, size);
    for (size_t i = 0; i < size; i++) into[i] = copy[size - 1 - i];
}

static void widen_16_bits(const conf_h5_type *type, float *into, const unsigned char *from)
{
    unsigned char copy[2];
    uint16_t bits;
    if (type->big == is_big_machine()) memcpy(copy, from, sizeof copy);
    else reverse_bytes(copy, from, sizeof copy);
    memcpy(&bits, copy, sizeof bits);
    *into = type->dtype == ASSAY_F16 ? dtype_f16_to_f32(bits) : dtype_bf16_to_f32(bits);
}

void conf_h5_type_convert(const conf_h5_type *type, void *into, const void *from, size_t n)
{
    unsigned char *to = into;
    const unsigned char *at = from;
    if (conf_h5_type_is_native(type)) {
        if (into != from) memcpy(into, from, n * type->size);
    } else if (conf_h5_type_widened(type) == type->dtype) {
        for (size_t i = 0; i < n; i++) reverse_bytes(to + i * type->size, at + i * type->size, type->size);
    } else {
        for (size_t i = 0; i < n; i++) {
            float value;
            widen_16_bits(type, &value, at + i * type->size);
            memcpy(to + i * sizeof value, &value, sizeof value);
        }
    }
}

bool conf_h5_integer_at(assay_dtype dtype, const void *data, size_t i, int64_t *out)
{
    union {
        int64_t i64;
        int32_t i32;
        int16_t i16;
        int8_t i8;
        uint64_t u64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
    } value;
    memcpy(&value, (const char *)data + i * dtype_size(dtype), dtype_size(dtype));
    switch (dtype) {
    case ASSAY_I64: *out = value.i64; break;
    case ASSAY_I32: *out = value.i32; break;
    case ASSAY_I16: *out = value.i16; break;
    case ASSAY_I8: *out = value.i8; break;
    case ASSAY_U32: *out = value.u32; break;
    case ASSAY_U16: *out = value.u16; break;
    case ASSAY_U8: *out = value.u8; break;
    case ASSAY_U64:
        if (value.u64 > INT64_MAX) return false;
        *out = (int64_t)value.u64;
        break;
    default: return false;
    }
    return true;
}
