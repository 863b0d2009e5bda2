/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/safetensors_header.h"

#include "base/tests/support.h"
#include "model/checkpoint/safetensors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data after the header, of which only the address matters. */
static const unsigned char DATA[64];

/* Parses text in a block of exactly n bytes, so that a sanitizer sees any read outside it. */
static assay_status parse(const void *text, size_t n, size_t n_data, safetensors_header *header,
                          assay_error *err)
{
    char *exact = malloc(n);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, text, n);
    const assay_status rc = safetensors_header_parse("t.safetensors", exact, n, DATA, n_data, header, err);
    free(exact);
    return rc;
}

static void expect_status(const char *text, size_t n_data, assay_status status, const char *member,
                          const char *found, const char *expected)
{
    safetensors_header header;
    assay_error err;
    ck_assert_msg(parse(text, strlen(text), n_data, &header, &err) != ASSAY_OK, "accepted: %s", text);
    support_expect_error(&err, status, "t.safetensors: ", member, found, expected, NULL);
    ck_assert_int_eq(parse(text, strlen(text), n_data, &header, NULL), status);
}

static void expect_refused(const char *text, size_t n_data, const char *member, const char *found,
                           const char *expected)
{
    expect_status(text, n_data, ASSAY_EFORMAT, member, found, expected);
}

START_TEST(headers_must_begin_with_a_brace)
{
    expect_refused(" {}", 0, "header: byte 0", "found byte 0x20", "expected '{'");
    expect_refused("[]", 0, "header: byte 0", "found byte 0x5b", "expected '{'");
    expect_refused("\xef\xbb\xbf{}", 0, "header: byte 0", "found byte 0xef", "expected '{'");
}
END_TEST

START_TEST(headers_that_are_not_json_are_refused)
{
    expect_refused("{", 0, "header: byte 1", "found the end", "expected a member name");
    expect_refused("{}x", 0, "header: byte 2", "found 'x'", "expected the end of the text");
    expect_refused("{}  {}", 0, "header: byte 4", "found '{'", "expected the end of the text");
    expect_refused("{\"\xc0\x80\":1}", 0, "header: byte 2", "found byte 0xc0", "expected valid UTF-8");
    expect_refused("{\"a\\u0000\":1}", 0, "header: ", "found U+0000 in member name", "expected none");
    expect_refused("{\"a\":{\"shape\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 0, "tensor 'a'",
                   "shape[0] is an array", "expected a non-negative integer");
    expect_refused("{\"__metadata__\":{\"a\":[[[[[[[[[[[[[[[[", 0, "__metadata__ member 'a'", "is an array",
                   "expected a string");
}
END_TEST

START_TEST(metadata_must_be_an_object_of_strings)
{
    expect_refused("{\"__metadata__\":[]}", 0, "__metadata__", "is an array",
                   "expected an object of strings");
    expect_refused("{\"__metadata__\":\"x\"}", 0, "__metadata__", "is a string", "expected an object");
    expect_refused("{\"__metadata__\":null}", 0, "__metadata__", "is null", "expected an object");
    expect_refused("{\"__metadata__\":{\"v\":1}}", 0, "__metadata__ member 'v'", "is a number",
                   "expected a string");
    expect_refused("{\"__metadata__\":{\"v\":{}}}", 0, "__metadata__ member 'v'", "is an object", "a string");
    expect_refused("{\"__metadata__\":{\"v\":\"1\",\"\\u0076\":\"2\"}}", 0, "header",
                   "member name '\\u0076' again", "expected it once");
    expect_refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "header",
                   "member name '__metadata__' again", "expected it once");
}
END_TEST

/* A tensor's members. */

#define TENSOR(members) "{\"a.weight\":{" members "}}"
#define DTYPE           "\"dtype\":\"F32\""
#define SHAPE           "\"shape\":[1]"
#define OFFSETS         "\"data_offsets\":[0,4]"

START_TEST(missing_members_are_refused_by_name)
{
    expect_refused(TENSOR(SHAPE "," OFFSETS), 4, "tensor 'a.weight'", "'dtype' is missing",
                   "expected dtype, shape");
    expect_refused(TENSOR(DTYPE "," OFFSETS), 4, "tensor 'a.weight'", "'shape' is missing",
                   "expected dtype, shape");
    expect_refused(TENSOR(DTYPE "," SHAPE), 4, "tensor 'a.weight'", "'data_offsets' is missing",
                   "expected dtype");
    expect_refused(TENSOR(""), 0, "tensor 'a.weight'", "'dtype' is missing", "expected dtype");
}
END_TEST

START_TEST(members_given_twice_are_refused_by_name)
{
    expect_refused(TENSOR(DTYPE "," SHAPE "," OFFSETS "," DTYPE), 4, "tensor 'a.weight'",
                   "'dtype' is given twice", "expected it once");
    expect_refused(TENSOR(SHAPE ",\"\\u0073hape\":[1]"), 4, "tensor 'a.weight'", "'shape' is given twice",
                   "once");
    expect_refused(TENSOR(OFFSETS "," OFFSETS), 4, "tensor 'a.weight'", "'data_offsets' is given twice",
                   "once");
}
END_TEST

START_TEST(unknown_members_are_refused_by_name)
{
    expect_refused(TENSOR(DTYPE "," SHAPE "," OFFSETS ",\"stride\":[1]"), 4, "tensor 'a.weight'",
                   "found member 'stride'", "expected only dtype, shape and data_offsets");
    expect_refused(TENSOR("\"Dtype\":\"F32\""), 4, "tensor 'a.weight'", "found member 'Dtype'",
                   "expected only dtype");
    expect_refused(TENSOR("\"dtyp\":\"F32\""), 4, "tensor 'a.weight'", "found member 'dtyp'",
                   "expected only dtype");
    expect_refused(TENSOR("\"dtypes\":\"F32\""), 4, "tensor 'a.weight'", "found member 'dtypes'",
                   "expected only dtype");
}
END_TEST

START_TEST(members_of_another_kind_are_refused_by_name)
{
    expect_refused("{\"a.weight\":7}", 0, "tensor 'a.weight'", "found a number", "expected an object");
    expect_refused("{\"a.weight\":null}", 0, "tensor 'a.weight'", "found null", "expected an object");
    expect_refused(TENSOR("\"dtype\":32"), 0, "tensor 'a.weight'", "dtype is a number", "expected a string");
    expect_refused(TENSOR("\"shape\":4"), 0, "tensor 'a.weight'", "shape is a number", "expected an array");
    expect_refused(TENSOR("\"shape\":{\"0\":1}"), 0, "tensor 'a.weight'", "shape is an object",
                   "expected an array");
    expect_refused(TENSOR("\"shape\":[\"4\"]"), 0, "'a.weight'", "shape[0] is a string",
                   "a non-negative integer");
    expect_refused(TENSOR("\"shape\":[1,true]"), 0, "'a.weight'", "shape[1] is true",
                   "a non-negative integer");
    expect_refused(TENSOR("\"data_offsets\":\"x\""), 0, "'a.weight'", "data_offsets is a string", "an array");
    expect_refused(TENSOR("\"data_offsets\":[0,null]"), 0, "'a.weight'", "data_offsets[1] is null",
                   "integer");
}
END_TEST

START_TEST(numbers_other_than_plain_integers_are_refused)
{
    static const char *const NUMBERS[] = {"1e2", "-0", "1.0", "-1", "1E0", "0.0"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        char header[200], found[60];
        (void)snprintf(header, sizeof header, TENSOR("\"shape\":[2,%s]"), NUMBERS[i]);
        (void)snprintf(found, sizeof found, "shape[1] is %s,", NUMBERS[i]);
        expect_refused(header, 0, "tensor 'a.weight'", found, "expected a non-negative integer");
        (void)snprintf(header, sizeof header, TENSOR("\"data_offsets\":[%s,4]"), NUMBERS[i]);
        (void)snprintf(found, sizeof found, "data_offsets[0] is %s,", NUMBERS[i]);
        expect_refused(header, 0, "tensor 'a.weight'", found, "expected a non-negative integer");
    }
    expect_refused(TENSOR("\"shape\":[01]"), 0, "header: byte 23", "found '1'", "expected ',' or ']'");
}
END_TEST

START_TEST(integers_beyond_size_t_are_refused)
{
    expect_refused(TENSOR("\"shape\":[18446744073709551616]"), 0, "tensor 'a.weight'",
                   "shape[0] is 18446744073709551616", "expected at most 18446744073709551615");
    expect_refused(TENSOR("\"data_offsets\":[0,99999999999999999999999]"), 0, "tensor 'a.weight'",
                   "data_offsets[1] is 99999999999999999999999", "expected at most 18446744073709551615");
}
END_TEST

START_TEST(ranks_above_the_abi_are_refused)
{
    expect_status(TENSOR(DTYPE ",\"shape\":[1,1,1,1,1,1,1,1,1]," OFFSETS), 4, ASSAY_EUNSUPPORTED,
                  "tensor 'a.weight'", "shape has more than 8 entries", "expected at most 8");
}
END_TEST

START_TEST(known_types_outside_the_abi_are_refused_by_name)
{
    static const char *const NAMES[] = {"F6_E2M3", "F6_E3M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "C64"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char header[200], found[80];
        (void)snprintf(header, sizeof header, TENSOR("\"dtype\":\"%s\"," SHAPE ",\"data_offsets\":[0,1]"),
                       NAMES[i]);
        (void)snprintf(found, sizeof found, "dtype %s is known but not supported", NAMES[i]);
        expect_status(header, 1, ASSAY_EUNSUPPORTED, "tensor 'a.weight'", found,
                      "expected F64, F32, F16, BF16");
    }
}
END_TEST

/* As safetensors 0.8.0 writes torch's float4_e2m1fn_x2 of shape [2, 12]. */
START_TEST(codes_of_four_bits_are_bytes_of_two)
{
    static const char text[] = TENSOR("\"dtype\":\"F4\",\"shape\":[2,24],\"data_offsets\":[0,24]");
    safetensors_header h;
    assay_error err;
    ck_assert_msg(parse(text, strlen(text), 24, &h, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(h.tensors[0].dtype, ASSAY_U8);
    ck_assert_uint_eq(h.tensors[0].rank, 2);
    ck_assert_uint_eq(h.tensors[0].shape[0], 2);
    ck_assert_uint_eq(h.tensors[0].shape[1], 12);
    safetensors_header_free(&h);
    expect_refused(TENSOR("\"dtype\":\"F4\",\"shape\":[2,3],\"data_offsets\":[0,3]"), 3, "tensor 'a.weight'",
                   "shape [2, 3] of F4", "expected an even last extent");
    expect_refused(TENSOR("\"dtype\":\"F4\",\"shape\":[],\"data_offsets\":[0,1]"), 1, "tensor 'a.weight'",
                   "shape [] of F4", "expected an even last extent");
}
END_TEST

START_TEST(unknown_types_are_refused_by_name)
{
    static const char *const NAMES[] = {"", "f32", "F33", "NONE", "F8", "F32 ", "F3"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char header[200], found[80];
        (void)snprintf(header, sizeof header, TENSOR("\"dtype\":\"%s\"," SHAPE "," OFFSETS), NAMES[i]);
        (void)snprintf(found, sizeof found, "dtype is '%s'", NAMES[i]);
        expect_refused(header, 4, "tensor 'a.weight'", found, "expected a type of the format");
    }
}
END_TEST

START_TEST(shapes_that_disagree_with_their_bytes_are_refused)
{
    expect_refused(TENSOR(DTYPE ",\"shape\":[3,5],\"data_offsets\":[0,48]"), 48, "tensor 'a.weight'",
                   "data_offsets [0, 48] hold 48 bytes", "shape [3, 5] of F32 needs 60");
    expect_refused(TENSOR("\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,4]"), 4, "tensor 'a.weight'",
                   "hold 4 bytes", "shape [] of BF16 needs 2");
    expect_refused(TENSOR(DTYPE ",\"shape\":[0],\"data_offsets\":[0,4]"), 4, "tensor 'a.weight'",
                   "hold 4 bytes", "shape [0] of F32 needs 0");
}
END_TEST

START_TEST(products_that_overflow_are_refused)
{
    /* 2^32 · 2^32 is 0, and 2^62 + 1 floats are 4 bytes, for whoever multiplies modulo 2^64. */
    expect_refused(TENSOR("\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]"), 0,
                   "tensor 'a.weight'", "shape [4294967296, 4294967296] of U8 needs more bytes",
                   "the most there can");
    expect_refused(TENSOR(DTYPE ",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]"), 4,
                   "tensor 'a.weight'", "shape [4611686018427387905] of F32 needs more",
                   "18446744073709551615");
    expect_refused(TENSOR(DTYPE ",\"shape\":[0,4294967296,4294967296],\"data_offsets\":[0,0]"), 0,
                   "tensor 'a.weight'", "shape [0, 4294967296, 4294967296] of F32 needs more",
                   "the most there can");
}
END_TEST

START_TEST(offsets_that_are_no_pair_are_refused)
{
    expect_refused(TENSOR("\"data_offsets\":[]"), 4, "tensor 'a.weight'", "data_offsets has 0 entries",
                   "expected 2");
    expect_refused(TENSOR("\"data_offsets\":[4]"), 4, "tensor 'a.weight'", "data_offsets has 1 entries",
                   "expected 2");
    expect_refused(TENSOR("\"data_offsets\":[0,2,4]"), 4, "'a.weight'", "data_offsets has more than 2",
                   "expected 2");
}
END_TEST

START_TEST(reversed_offsets_are_refused)
{
    expect_refused(TENSOR(DTYPE "," SHAPE ",\"data_offsets\":[8,4]"), 8, "tensor 'a.weight'",
                   "data_offsets [8, 4] begin after their end", "expected begin <= end");
    expect_refused(TENSOR(DTYPE "," SHAPE ",\"data_offsets\":[18446744073709551615,3]"), 8,
                   "tensor 'a.weight'", "data_offsets [18446744073709551615, 3] begin after their end",
                   "expected begin <= end");
}
END_TEST

START_TEST(offsets_past_the_end_are_refused)
{
    expect_refused(TENSOR(DTYPE "," SHAPE ",\"data_offsets\":[0,4]"), 3, "tensor 'a.weight'",
                   "data_offsets [0, 4] end past the file", "at most the 3 bytes");
    expect_refused(TENSOR("\"dtype\":\"U8\",\"shape\":[18446744073709551615],"
                          "\"data_offsets\":[0,18446744073709551615]"),
                   3, "tensor 'a.weight'", "18446744073709551615] end past the file", "at most the 3 bytes");
    expect_refused(TENSOR(DTYPE ",\"shape\":[0],\"data_offsets\":[5,5]"), 4, "tensor 'a.weight'",
                   "data_offsets [5, 5] end past the file", "at most the 4 bytes");
}
END_TEST

START_TEST(duplicate_tensors_are_refused)
{
    expect_refused(
        "{\"a\":{" DTYPE "," SHAPE "," OFFSETS "},\"\\u0061\":{" DTYPE "," SHAPE ",\"data_offsets\":[4,8]}}",
        8, "header: byte", "found member name '\\u0061' again (first at byte 1)", "expected it once");
}
END_TEST

/* Damage. */

static const char VALID[] = "{\"__metadata__\":{\"format\":\"pt\"},"
                            "\"model.a\\u00e9\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                            "\"b\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[24,24]},"
                            "\"c\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[24,27]}} ";

static void flip_bytes(unsigned char *bytes, size_t n, uint32_t seed)
{
    static const char ALPHABET[] = "{}[]\":,\\u0123456789e.- \xff\x80";
    const uint32_t n_flips = 1 + seed % 4;
    for (uint32_t k = 0, state = seed * 2654435761U; k < n_flips; k++) {
        state = state * 1664525U + 1013904223U;
        unsigned char *at = &bytes[(state >> 8) % n];
        state = state * 1664525U + 1013904223U;
        if (seed % 8 < 4) /* characters that mean something get further than random ones */
            *at = (unsigned char)ALPHABET[(state >> 8) % (sizeof ALPHABET - 1)];
        else *at = (unsigned char)(*at ^ (1U << (state >> 29)));
    }
}

START_TEST(headers_with_flipped_bytes_are_not_read_past)
{
    const size_t n = sizeof VALID - 1;
    size_t n_accepted = 0;
    for (uint32_t seed = 0; seed < 50000; seed++) {
        unsigned char text[sizeof VALID];
        memcpy(text, VALID, sizeof VALID);
        flip_bytes(text, n, seed);
        safetensors_header header;
        assay_error err;
        if (parse(text, seed % 3 == 0 ? 1 + seed % n : n, 27, &header, &err) != ASSAY_OK) {
            support_expect_error(&err, err.status == ASSAY_EUNSUPPORTED ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT,
                                 "t.safetensors: ", NULL);
            continue;
        }
        for (size_t i = 0; i < header.n; i++) {
            const unsigned char *data = header.tensors[i].data;
            ck_assert(data >= DATA && safetensors_bytes(&header.tensors[i]) <= (size_t)(DATA + 27 - data));
        }
        safetensors_header_free(&header);
        n_accepted++;
    }
    ck_assert(n_accepted > 0 && n_accepted < 25000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/safetensors_header");
    TCase *tc = tcase_create("headers");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, headers_must_begin_with_a_brace);
    tcase_add_test(tc, headers_that_are_not_json_are_refused);
    tcase_add_test(tc, metadata_must_be_an_object_of_strings);
    tcase_add_test(tc, missing_members_are_refused_by_name);
    tcase_add_test(tc, members_given_twice_are_refused_by_name);
    tcase_add_test(tc, unknown_members_are_refused_by_name);
    tcase_add_test(tc, members_of_another_kind_are_refused_by_name);
    tcase_add_test(tc, numbers_other_than_plain_integers_are_refused);
    tcase_add_test(tc, integers_beyond_size_t_are_refused);
    tcase_add_test(tc, ranks_above_the_abi_are_refused);
    tcase_add_test(tc, known_types_outside_the_abi_are_refused_by_name);
    tcase_add_test(tc, codes_of_four_bits_are_bytes_of_two);
    tcase_add_test(tc, unknown_types_are_refused_by_name);
    tcase_add_test(tc, shapes_that_disagree_with_their_bytes_are_refused);
    tcase_add_test(tc, products_that_overflow_are_refused);
    tcase_add_test(tc, offsets_that_are_no_pair_are_refused);
    tcase_add_test(tc, reversed_offsets_are_refused);
    tcase_add_test(tc, offsets_past_the_end_are_refused);
    tcase_add_test(tc, duplicate_tensors_are_refused);
    tcase_add_test(tc, headers_with_flipped_bytes_are_not_read_past);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
