/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/safetensors.h"

#include "base/dtype.h"
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "t.safetensors"

/* Builds length, header and n_data bytes of data 0, 1, 2, …; the caller frees it. */
static unsigned char *build(const char *header, size_t n_data, size_t *n)
{
    const uint64_t length = strlen(header);
    *n = sizeof length + strlen(header) + n_data;
    unsigned char *bytes = malloc(*n);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, &length, sizeof length);
    memcpy(bytes + sizeof length, header, strlen(header));
    for (size_t i = 0; i < n_data; i++) bytes[*n - n_data + i] = (unsigned char)i;
    return bytes;
}

static assay_status open_bytes(const void *bytes, size_t n, safetensors **file, assay_error *err)
{
    return safetensors_open(support_write(support_tmpdir(), FILE_NAME, bytes, n), file, err);
}

static assay_status open_header(const char *header, size_t n_data, safetensors **file, assay_error *err)
{
    size_t n;
    unsigned char *bytes = build(header, n_data, &n);
    const assay_status rc = open_bytes(bytes, n, file, err);
    free(bytes);
    return rc;
}

static safetensors *expect_accepted(const char *header, size_t n_data)
{
    safetensors *file = NULL;
    assay_error err = {ASSAY_OK, "untouched"};
    ck_assert_msg(open_header(header, n_data, &file, &err) == ASSAY_OK, "%s: %s", header, err.text);
    ck_assert_str_eq(err.text, "untouched");
    return file;
}

static void expect_refused(const char *header, size_t n_data, const char *member, const char *found,
                           const char *expected)
{
    safetensors *file = NULL;
    assay_error err;
    ck_assert_msg(open_header(header, n_data, &file, &err) != ASSAY_OK, "accepted: %s", header);
    support_expect_error(&err, ASSAY_EFORMAT, "/" FILE_NAME ": ", member, found, expected, NULL);
    ck_assert_ptr_null(file);
    ck_assert_int_eq(open_header(header, n_data, &file, NULL), ASSAY_EFORMAT);
}

START_TEST(tensors_are_found_with_their_bytes)
{
    safetensors *f = expect_accepted("{\"__metadata__\":{\"format\":\"pt\"},"
                                     "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[24,27]},"
                                     "\"a\":{\"data_offsets\":[0,24],\"shape\":[2,3],\"dtype\":\"F32\"}}   ",
                                     27);
    ck_assert_uint_eq(safetensors_count(f), 2);
    const assay_tensor *a = safetensors_at(f, 0), *b = safetensors_at(f, 1);
    ck_assert_str_eq(a->name, "a");
    ck_assert_int_eq(a->dtype, ASSAY_F32);
    ck_assert_uint_eq(a->rank, 2);
    ck_assert(a->shape[0] == 2 && a->shape[1] == 3);
    ck_assert_uint_eq(safetensors_bytes(a), 24);
    ck_assert_int_eq(*(const unsigned char *)a->data, 0);
    ck_assert_str_eq(b->name, "b");
    ck_assert_mem_eq(b->data, "\x18\x19\x1a", 3);
    ck_assert(strstr(safetensors_path(f), "/" FILE_NAME) != NULL);
    safetensors_free(f);
    safetensors_free(NULL);
}
END_TEST

START_TEST(every_type_of_the_abi_is_accepted)
{
    for (assay_dtype dtype = ASSAY_F64; dtype <= ASSAY_F8_E8M0; dtype++) {
        char header[200];
        (void)snprintf(header, sizeof header,
                       "{\"a\":{\"dtype\":\"%s\",\"shape\":[2],\"data_offsets\":[0,%zu]}}", dtype_name(dtype),
                       2 * dtype_size(dtype));
        safetensors *f = expect_accepted(header, 2 * dtype_size(dtype));
        ck_assert_int_eq(safetensors_at(f, 0)->dtype, dtype);
        safetensors_free(f);
    }
}
END_TEST

START_TEST(scalars_and_empty_tensors_are_accepted)
{
    safetensors *f =
        expect_accepted("{\"z\":{\"dtype\":\"F32\",\"shape\":[4,0],\"data_offsets\":[4,4]},"
                        "\"d\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]},"
                        "\"t\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[4,5]},"
                        "\"s\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}",
                        5);
    static const char *const ORDER[] = {"s", "d", "z", "t"};
    for (size_t i = 0; i < 4; i++) ck_assert_str_eq(safetensors_at(f, i)->name, ORDER[i]);
    ck_assert_uint_eq(safetensors_at(f, 0)->rank, 0);
    ck_assert_uint_eq(safetensors_at(f, 3)->rank, 8);
    safetensors_free(f);
}
END_TEST

START_TEST(files_without_tensors_are_accepted)
{
    safetensors *f = expect_accepted("{}", 0);
    ck_assert_uint_eq(safetensors_count(f), 0);
    safetensors_free(f);
    f = expect_accepted("{\"__metadata__\":{}}", 0);
    ck_assert_uint_eq(safetensors_count(f), 0);
    safetensors_free(f);
}
END_TEST

START_TEST(escaped_names_are_unescaped)
{
    safetensors *f =
        expect_accepted("{\"\\u005f_metadata__\":{},\"\\u00e9\\ud83d\\ude00\\\"\":"
                        "{\"\\u0064type\":\"\\u0046\\u00332\",\"shape\":[],\"data_offsets\":[0,4]}}",
                        4);
    ck_assert_uint_eq(safetensors_count(f), 1);
    ck_assert_str_eq(safetensors_at(f, 0)->name, "\xc3\xa9\xf0\x9f\x98\x80\"");
    safetensors_free(f);
}
END_TEST

/* The file's first bytes. */

START_TEST(files_shorter_than_the_length_are_refused)
{
    for (size_t n = 0; n < 8; n++) {
        safetensors *f = NULL;
        assay_error err;
        char found[32];
        (void)snprintf(found, sizeof found, "found %zu bytes", n);
        ck_assert_int_eq(open_bytes("\2\0\0\0\0\0\0\0", n, &f, &err), ASSAY_EFORMAT);
        support_expect_error(&err, ASSAY_EFORMAT, FILE_NAME, found, "expected at least 8", NULL);
    }
}
END_TEST

START_TEST(header_lengths_that_cannot_be_are_refused)
{
    static const struct {
        const char *bytes;
        const char *found, *expected;
    } ROWS[] = {
        {"\0\0\0\0\0\0\0\0{}", "header of 0 bytes", "expected at least '{}'"},
        {"\3\0\0\0\0\0\0\0{}", "header of 3 bytes", "expected at most the 2 after"},
        {"\0\xe1\xf5\5\0\0\0\0{}", "header of 100000000 bytes", "expected at most the 2 after"},
        {"\1\xe1\xf5\5\0\0\0\0{}", "header of 100000001 bytes", "expected at most 100000000"},
        {"\2\0\0\0\0\0\0\x80{}", "header of 9223372036854775810 bytes", "expected at most 100000000"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff{}", "header of 18446744073709551615 bytes", "expected at most"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        safetensors *f = NULL;
        assay_error err;
        ck_assert_int_eq(open_bytes(ROWS[i].bytes, 10, &f, &err), ASSAY_EFORMAT);
        support_expect_error(&err, ASSAY_EFORMAT, FILE_NAME, ROWS[i].found, ROWS[i].expected, NULL);
    }
}
END_TEST

/* Where tensors lie. */

#define U8(name, n, begin, end)                                                                              \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[" n "],\"data_offsets\":[" begin "," end "]}"

START_TEST(overlapping_tensors_are_refused)
{
    expect_refused("{" U8("a", "4", "0", "4") "," U8("b", "4", "3", "7") "}", 7, "tensor 'b'",
                   "data_offsets [3, 7] overlap tensor 'a'", "expected to begin at its end, 4");
    expect_refused("{" U8("a", "4", "0", "4") "," U8("b", "4", "0", "4") "}", 4, "tensor 'b'",
                   "data_offsets [0, 4] overlap tensor 'a'", "expected to begin at its end, 4");
    expect_refused("{" U8("b", "0", "2", "2") "," U8("a", "4", "0", "4") "}", 4, "tensor 'b'",
                   "data_offsets [2, 2] overlap tensor 'a'", "expected to begin at its end, 4");
}
END_TEST

START_TEST(gaps_between_tensors_are_refused)
{
    expect_refused("{" U8("b", "2", "5", "7") "," U8("a", "4", "0", "4") "}", 7, "tensor 'b'",
                   "data_offsets [5, 7] leave a gap after tensor 'a'", "expected to begin at its end, 4");
    expect_refused("{" U8("a", "4", "1", "5") "}", 5, "tensor 'a'", "data_offsets [1, 5] leave a gap",
                   "expected the first tensor to begin at 0");
}
END_TEST

START_TEST(data_after_the_last_tensor_is_refused)
{
    expect_refused("{" U8("a", "4", "0", "4") "}", 5, "", "found 5 bytes of data", "expected the 4");
    expect_refused("{}", 1, "", "found 1 bytes of data", "expected the 0");
}
END_TEST

START_TEST(files_that_are_not_regular_are_refused)
{
    safetensors *f = NULL;
    assay_error err;
    ck_assert_int_eq(safetensors_open(support_tmpdir(), &f, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, support_tmpdir(), "found a directory", "expected a regular file",
                         NULL);

    char path[4200];
    (void)snprintf(path, sizeof path, "%s/fifo.safetensors", support_tmpdir());
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(safetensors_open(path, &f, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, path, "found a FIFO", "expected a regular file", NULL);

    (void)snprintf(path, sizeof path, "%s/none.safetensors", support_tmpdir());
    ck_assert_int_eq(safetensors_open(path, &f, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, path, ": No such file or directory", NULL);
}
END_TEST

/* Damage. */

static const char VALID[] = "{\"__metadata__\":{\"format\":\"pt\"},"
                            "\"model.a\\u00e9\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                            "\"b\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[24,24]},"
                            "\"c\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[24,27]}} ";

START_TEST(every_truncation_is_refused)
{
    size_t n;
    unsigned char *bytes = build(VALID, 27, &n);
    for (size_t kept = 0; kept <= n; kept++) {
        safetensors *f = NULL;
        assay_error err;
        const assay_status rc = open_bytes(bytes, kept, &f, &err);
        ck_assert_int_eq(rc, kept == n ? ASSAY_OK : ASSAY_EFORMAT);
        if (rc != ASSAY_OK) support_expect_error(&err, ASSAY_EFORMAT, FILE_NAME, NULL);
        safetensors_free(f);
    }
    free(bytes);
}
END_TEST

/* Reads every byte of every tensor and compares what the getters promise. */
static void expect_sound(const safetensors *f, size_t n_data)
{
    size_t total = 0;
    volatile unsigned char sink = 0;
    for (size_t i = 0; i < safetensors_count(f); i++) {
        const assay_tensor *t = safetensors_at(f, i);
        const unsigned char *first = safetensors_at(f, 0)->data, *data = t->data;
        ck_assert_ptr_eq(data, first + total);
        ck_assert(t->rank <= ASSAY_TENSOR_RANK_MAX);
        for (size_t k = 0; k < safetensors_bytes(t); k++) sink = (unsigned char)(sink ^ data[k]);
        total += safetensors_bytes(t);
    }
    ck_assert_uint_eq(total, n_data);
}

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

START_TEST(files_with_flipped_bytes_never_crash)
{
    size_t n_accepted = 0;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        size_t n;
        unsigned char *bytes = build(VALID, 27, &n);
        flip_bytes(bytes, n - 27, seed);
        safetensors *f = NULL;
        assay_error err;
        const assay_status rc = open_bytes(bytes, n, &f, &err);
        free(bytes);
        if (rc == ASSAY_OK) {
            expect_sound(f, 27);
            n_accepted++;
        } else {
            support_expect_error(&err, err.status, FILE_NAME, NULL);
            ck_assert(rc == ASSAY_EFORMAT || rc == ASSAY_EUNSUPPORTED);
        }
        safetensors_free(f);
    }
    ck_assert(n_accepted > 0 && n_accepted < 1500);
}
END_TEST

/* Size. */

static TCase *sound_files(void)
{
    TCase *tc = tcase_create("sound files");
    tcase_add_test(tc, tensors_are_found_with_their_bytes);
    tcase_add_test(tc, every_type_of_the_abi_is_accepted);
    tcase_add_test(tc, scalars_and_empty_tensors_are_accepted);
    tcase_add_test(tc, files_without_tensors_are_accepted);
    tcase_add_test(tc, escaped_names_are_unescaped);
    return tc;
}

static TCase *broken_files(void)
{
    TCase *tc = tcase_create("broken files");
    tcase_add_test(tc, files_shorter_than_the_length_are_refused);
    tcase_add_test(tc, header_lengths_that_cannot_be_are_refused);
    tcase_add_test(tc, overlapping_tensors_are_refused);
    tcase_add_test(tc, gaps_between_tensors_are_refused);
    tcase_add_test(tc, data_after_the_last_tensor_is_refused);
    tcase_add_test(tc, files_that_are_not_regular_are_refused);
    return tc;
}

static TCase *damage_and_size(void)
{
    TCase *tc = tcase_create("damage and size");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_truncation_is_refused);
    tcase_add_test(tc, files_with_flipped_bytes_never_crash);
    return tc;
}

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/safetensors");
    suite_add_tcase(suite, sound_files());
    suite_add_tcase(suite, broken_files());
    suite_add_tcase(suite, damage_and_size());
    return support_run(suite);
}
