/* Bytes of HDF5 messages, and what types and shapes they are decoded to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/hdf5/type.h"
#include "conformance/tests/support.h"

#define INTEGER(version, bits, size, offset, precision)                                                      \
    .bytes = {(version) << 4, bits, 0, 0, size, 0, 0, 0, offset, 0, precision, 0}, .n = 12
#define FLOAT(bits, sign, size, exponent, mantissa, bias)                                                    \
    .bytes = {0x11, bits,       sign, 0,        size,     0, 0,        0,           0,                       \
              0,    8 * (size), 0,    mantissa, exponent, 0, mantissa, (bias)&0xff, (bias) >> 8},            \
    .n = 20
#define OTHER(class, bits, size) .bytes = {0x10 | (class), bits, 0, 0, size}, .n = 8

static const struct {
    unsigned char bytes[20];
    size_t n;
    const char *printed; /* NULL: the message is damaged */
    conf_h5_class class;
    assay_dtype dtype;
    bool big, space_padded;
} types[] = {
    {INTEGER(1, 8, 1, 0, 8), "I8", CONF_H5_NUMBER, ASSAY_I8},
    {INTEGER(3, 0, 2, 0, 16), "U16", CONF_H5_NUMBER, ASSAY_U16},
    {INTEGER(5, 9, 4, 0, 32), "I32", CONF_H5_NUMBER, ASSAY_I32, .big = true},
    {INTEGER(1, 0, 8, 0, 64), "U64", CONF_H5_NUMBER, ASSAY_U64},
    {INTEGER(1, 0, 4, 0, 31), "integer of 32 bits", CONF_H5_INTEGER},
    {INTEGER(1, 0, 4, 1, 32), "integer of 32 bits", CONF_H5_INTEGER},
    {INTEGER(1, 2, 4, 0, 32), "integer of 32 bits", CONF_H5_INTEGER},
    {INTEGER(1, 5, 4, 0, 32), "integer of 32 bits", CONF_H5_INTEGER, .big = true},
    {INTEGER(1, 8, 3, 0, 24), "integer of 24 bits", CONF_H5_INTEGER},
    {INTEGER(1, 8, 9, 0, 72), "integer of 72 bits", CONF_H5_INTEGER},
    {INTEGER(1, 0, 16, 0, 128), "integer of 128 bits", CONF_H5_INTEGER},
    {INTEGER(0, 8, 4, 0, 32), NULL},
    {INTEGER(6, 8, 4, 0, 32), NULL},
    {INTEGER(1, 8, 0, 0, 0), NULL},
    {FLOAT(0x20, 63, 8, 11, 52, 1023), "F64", CONF_H5_NUMBER, ASSAY_F64},
    {FLOAT(0x20, 31, 4, 8, 23, 127), "F32", CONF_H5_NUMBER, ASSAY_F32},
    {FLOAT(0x20, 15, 2, 5, 10, 15), "F16", CONF_H5_NUMBER, ASSAY_F16},
    {FLOAT(0x21, 15, 2, 8, 7, 127), "BF16", CONF_H5_NUMBER, ASSAY_BF16, .big = true},
    {FLOAT(0x20, 23, 3, 8, 15, 127), "float of 24 bits", CONF_H5_FLOAT},
    {OTHER(3, 0, 5), "text", CONF_H5_TEXT},
    {OTHER(3, 0x11, 5), "text", CONF_H5_TEXT},
    {OTHER(3, 0x12, 5), "text", CONF_H5_TEXT, .space_padded = true},
    {OTHER(9, 1, 16), "text", CONF_H5_TEXT_VARIABLE},
    {OTHER(9, 1, 8), NULL},
    {OTHER(9, 0, 8), "compound or other", CONF_H5_OTHER},
    {OTHER(6, 0, 8), "compound or other", CONF_H5_OTHER},
};

START_TEST(a_type_is_decoded)
{
    const conf_bytes whole = conf_bytes_of(types[_i].bytes, types[_i].n);
    conf_h5_type type = {.size = 99};
    const bool sound = types[_i].printed;
    ck_assert_int_eq(conf_h5_type_decode(whole, &type), sound);
    ck_assert_uint_eq(type.size, sound ? types[_i].bytes[4] : 99);
    if (!sound) return;
    char printed[32];
    conf_h5_type_print(printed, sizeof printed, &type);
    ck_assert_str_eq(printed, types[_i].printed);
    ck_assert_int_eq(type.class, types[_i].class);
    ck_assert_int_eq(type.dtype, types[_i].dtype);
    ck_assert_int_eq(type.big, types[_i].big);
    ck_assert_int_eq(type.space_padded, types[_i].space_padded);
    ck_assert(!conf_h5_type_decode(conf_bytes_of(types[_i].bytes, types[_i].n - 1), &type));
}
END_TEST

START_TEST(a_float_type_that_differs_in_any_property_is_not_recognised)
{
    /* Places in the message of a float32, and other values there. */
    static const unsigned char changes[][2] = {
        {1, 0x60}, {1, 0x22}, {1, 0x24}, {1, 0x28}, {1, 0x00}, {1, 0x10}, {1, 0x30}, {2, 30},
        {4, 8},    {8, 1},    {10, 31},  {12, 22},  {13, 7},   {14, 1},   {15, 22},  {16, 126}};
    unsigned char bytes[] = {0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        conf_h5_type type;
        const unsigned char old = bytes[changes[i][0]];
        bytes[changes[i][0]] = changes[i][1];
        ck_assert(conf_h5_type_decode(conf_bytes_of(bytes, sizeof bytes), &type));
        ck_assert_msg(type.class == CONF_H5_FLOAT && type.dtype == ASSAY_DTYPE_NONE, "change %zu", i);
        bytes[changes[i][0]] = old;
    }
}
END_TEST

enum { ANY_LENGTH = 0xff };

static const struct {
    unsigned char head[8]; /* what precedes the lengths */
    size_t n_head, n_lengths;
    unsigned char lengths[2]; /* length of the axis, and its maximum; ANY_LENGTH: all bits set */
    bool sound, is_null;
    size_t rank;
} spaces[] = {
    {{1, 0, 0}, 8, 0, {0}, true, false, 0},        {{1, 1, 0}, 8, 1, {5}, true, false, 1},
    {{1, 1, 1}, 8, 2, {5, 7}, true, false, 1},     {{2, 0, 0, 0}, 4, 0, {0}, true, false, 0},
    {{2, 0, 0, 2}, 4, 0, {0}, true, true, 0},      {{2, 1, 0, 1}, 4, 1, {5}, true, false, 1},
    {{2, 1, 1, 1}, 4, 2, {5, 5}, true, false, 1},  {{2, 1, 1, 1}, 4, 2, {5, ANY_LENGTH}, true, false, 1},
    {{2, 32, 0, 1}, 4, 32, {5}, true, false, 32},  {{2, 33, 0, 1}, 4, 33, {5}, false, false, 0},
    {{2, 1, 1, 1}, 4, 2, {5, 4}, false, false, 0}, {{2, 1, 0, 0}, 4, 1, {5}, false, false, 0},
    {{2, 1, 0, 2}, 4, 1, {5}, false, false, 0},    {{2, 0, 0, 3}, 4, 0, {0}, false, false, 0},
    {{0, 0, 0, 0}, 8, 0, {0}, false, false, 0},    {{3, 0, 0, 0}, 8, 0, {0}, false, false, 0},
};

START_TEST(a_shape_is_decoded)
{
    unsigned char bytes[8 + 33 * 8] = {0};
    const size_t n = spaces[_i].n_head + 8 * spaces[_i].n_lengths;
    memcpy(bytes, spaces[_i].head, spaces[_i].n_head);
    for (size_t k = 0; k < 2 && k < spaces[_i].n_lengths; k++) {
        unsigned char *at = bytes + spaces[_i].n_head + 8 * k;
        at[0] = spaces[_i].lengths[k];
        if (at[0] == ANY_LENGTH) memset(at, ANY_LENGTH, 8);
    }
    conf_h5_space space = {.rank = 99};
    ck_assert_int_eq(conf_h5_space_decode(conf_bytes_of(bytes, n), &space), spaces[_i].sound);
    ck_assert_uint_eq(space.rank, spaces[_i].sound ? spaces[_i].rank : 99);
    if (!spaces[_i].sound) return;
    ck_assert_int_eq(space.is_null, spaces[_i].is_null);
    if (space.rank > 0) {
        const uint64_t most = spaces[_i].lengths[spaces[_i].n_lengths == 2];
        ck_assert_uint_eq(space.shape[0], 5);
        ck_assert_uint_eq(space.most[0], most == ANY_LENGTH ? UINT64_MAX : most);
    }
    ck_assert(!conf_h5_space_decode(conf_bytes_of(bytes, n - 1), &space));
}
END_TEST

START_TEST(reading_beyond_the_end_yields_nothing)
{
    static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 0xff};
    conf_bytes b = conf_bytes_of(bytes, sizeof bytes);
    ck_assert_uint_eq(conf_bytes_number(&b, 8), 0x0807060504030201U);
    ck_assert_uint_eq(conf_bytes_number(&b, 0), 0);
    ck_assert(!b.bad && b.n == 1);
    ck_assert_ptr_null(conf_bytes_next(&b, 2));
    ck_assert(b.bad);
    b = conf_bytes_of(bytes, sizeof bytes);
    ck_assert_ptr_eq(conf_bytes_next(&b, 8), bytes);
    ck_assert_uint_eq(conf_bytes_number(&b, 2), 0);
    ck_assert(b.bad);
    ck_assert_uint_eq(conf_bytes_number(&b, 1), 0);
}
END_TEST

START_TEST(a_signature_has_its_version)
{
    for (unsigned version = 0; version < 2; version++) {
        conf_bytes b = conf_bytes_of("FAHD\0x", 6), other = conf_bytes_of("FAHE\0x", 6);
        conf_bytes_expect(&b, "FAHD", version);
        ck_assert(b.bad == (version == 1));
        conf_bytes_expect(&other, "FAHD", version);
        ck_assert(other.bad);
    }
    conf_bytes cut = conf_bytes_of("FAHD", 4);
    conf_bytes_expect(&cut, "FAHD", 0);
    ck_assert(cut.bad);
}
END_TEST

START_TEST(sizes_are_counted_as_hdf5_counts_them)
{
    static const struct {
        uint64_t value;
        size_t log2, bytes;
        bool power;
    } values[] = {{0, 0, 1, false},
                  {1, 0, 1, true},
                  {2, 1, 1, true},
                  {3, 1, 1, false},
                  {255, 7, 1, false},
                  {256, 8, 2, true},
                  {65535, 15, 2, false},
                  {65536, 16, 3, true},
                  {UINT64_MAX, 63, 8, false},
                  {(uint64_t)1 << 63, 63, 8, true}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ck_assert_uint_eq(conf_log2(values[i].value), values[i].log2);
        ck_assert_uint_eq(conf_bytes_of_limit(values[i].value), values[i].bytes);
        ck_assert_int_eq(conf_is_power_of_two(values[i].value), values[i].power);
    }
}
END_TEST

START_TEST(every_integer_that_fits_is_an_int64)
{
    static const struct {
        assay_dtype dtype;
        unsigned char bytes[8];
        int64_t value;
        bool holds;
    } integers[] = {{ASSAY_I8, {0xff}, -1, true},
                    {ASSAY_U8, {0xff}, 255, true},
                    {ASSAY_I16, {0xfe, 0xff}, -2, true},
                    {ASSAY_U16, {0xfe, 0xff}, 65534, true},
                    {ASSAY_I32, {0xff, 0xff, 0xff, 0xff}, -1, true},
                    {ASSAY_U32, {0xff, 0xff, 0xff, 0xff}, UINT32_MAX, true},
                    {ASSAY_I64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, INT64_MAX, true},
                    {ASSAY_U64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, INT64_MAX, true},
                    {ASSAY_U64, {0, 0, 0, 0, 0, 0, 0, 0x80}, 7, false},
                    {ASSAY_F32, {0}, 7, false}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int64_t found = 7;
        ck_assert_int_eq(conf_h5_integer_at(integers[i].dtype, integers[i].bytes, 0, &found),
                         integers[i].holds);
        ck_assert_int_eq(found, integers[i].value);
    }
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/messages");
    TCase *messages = tcase_create("messages");
    tcase_add_loop_test(messages, a_type_is_decoded, 0, COUNT(types));
    tcase_add_test(messages, a_float_type_that_differs_in_any_property_is_not_recognised);
    tcase_add_loop_test(messages, a_shape_is_decoded, 0, COUNT(spaces));
    tcase_add_test(messages, reading_beyond_the_end_yields_nothing);
    tcase_add_test(messages, a_signature_has_its_version);
    tcase_add_test(messages, sizes_are_counted_as_hdf5_counts_them);
    tcase_add_test(messages, every_integer_that_fits_is_an_int64);
    suite_add_tcase(suite, messages);
    return support_run(suite);
}
