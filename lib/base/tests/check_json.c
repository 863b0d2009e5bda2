/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/tests/support.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(numbers_of_tokenizer_configs_survive)
{
    static const char TEXT[] =
        "{\"model_max_length\": 1000000000000000019884624838656, \"eps\": 1e-06, \"n\": -3}";
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_parse("t.json", TEXT, sizeof TEXT - 1, &value, &err), ASSAY_OK);
    ck_assert(json_object_get_uint64(json_object_object_get(value, "model_max_length")) == UINT64_MAX);
    ck_assert(json_object_get_double(json_object_object_get(value, "eps")) == 1e-6);
    ck_assert_int_eq(json_object_get_int64(json_object_object_get(value, "n")), -3);
    json_object_put(value);
}
END_TEST

START_TEST(numbers_are_printed_with_their_spelling)
{
    static const char *const NUMBERS[] = {
        "0",
        "-0",
        "-3",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "1e-06",
        "1E+2",
        "-0.0",
        "-99999999999999999999",
        "0.10000000000000000000000000000001",
    };
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        char text[256];
        json_object *value = NULL;
        assay_error err = {0};
        const int n = snprintf(text, sizeof text, "{\"a\":[{\"\\u0062\":[]},{\"b\":[null,%s]}],\"b\":%s}",
                               NUMBERS[i], NUMBERS[i]);
        ck_assert_msg(json_parse("t", text, (size_t)n, &value, &err) == ASSAY_OK, "%s", err.text);
        (void)snprintf(text, sizeof text, "{\"a\":[{\"b\":[]},{\"b\":[null,%s]}],\"b\":%s}", NUMBERS[i],
                       NUMBERS[i]);
        ck_assert_str_eq(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), text);
        json_object_put(value);
        value = NULL;
        ck_assert_int_eq(json_parse("t", NUMBERS[i], strlen(NUMBERS[i]), &value, &err), ASSAY_OK);
        ck_assert_str_eq(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), NUMBERS[i]);
        json_object_put(value);
    }
}
END_TEST

START_TEST(a_string_with_nul_is_no_c_string)
{
    json_object *value = NULL;
    assay_error err = {0};
    ck_assert_int_eq(json_parse("t", "[\"a\\u0000b\",\"ab\",1]", 19, &value, &err), ASSAY_OK);
    ck_assert_ptr_null(json_text(json_object_array_get_idx(value, 0)));
    ck_assert_str_eq(json_text(json_object_array_get_idx(value, 1)), "ab");
    ck_assert_ptr_null(json_text(json_object_array_get_idx(value, 2)));
    ck_assert_ptr_null(json_text(NULL));
    json_object_put(value);
}
END_TEST

START_TEST(parsing_keeps_every_value)
{
    static const char TEXT[] = "{\"s\":\"\\ud83d\\ude00\\u0000x\",\"a\":[true,null,1.5],\"\\u0061b\":{}}";
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_parse("t.json", TEXT, sizeof TEXT - 1, &value, &err), ASSAY_OK);
    json_object *s = json_object_object_get(value, "s");
    ck_assert_int_eq(json_object_get_string_len(s), 6);
    ck_assert_mem_eq(json_object_get_string(s), "\xf0\x9f\x98\x80\0x", 6);
    ck_assert_uint_eq(json_object_array_length(json_object_object_get(value, "a")), 3);
    ck_assert(json_object_object_get_ex(value, "ab", NULL));
    json_object_put(value);
}
END_TEST

START_TEST(refused_text_leaves_the_result_untouched)
{
    json_object *value = (json_object *)&value;
    assay_error err;
    ck_assert_int_eq(json_parse("t.json", "{\"a\":1,\"a\":2}", 13, &value, &err), ASSAY_EFORMAT);
    ck_assert_int_eq(json_read("/nonexistent/t.json", &value, &err), ASSAY_EIO);
    ck_assert_ptr_eq(value, (json_object *)&value);
}
END_TEST

/* json-c 0.16 reads half of them as U+FFFD. */
START_TEST(every_escaped_surrogate_pair_is_its_character)
{
    for (uint32_t codepoint = 0x10000; codepoint <= 0x10ffff; codepoint += 0x111) {
        char text[32], expected[5] = "";
        json_object *value = NULL;
        assay_error err = {0};
        const unsigned high = 0xd800U + ((codepoint - 0x10000U) >> 10), low = 0xdc00U + (codepoint & 0x3ffU);
        const int n = snprintf(text, sizeof text, "\"\\\\u%04x\\u%04x\\u%04X\"", high, high, low);
        expected[utf8_encode(expected, codepoint)] = '\0';
        ck_assert_msg(json_parse("t", text, (size_t)n, &value, &err) == ASSAY_OK, "%s", err.text);
        ck_assert_msg(strncmp(json_object_get_string(value), text + 2, 1) == 0, "the backslash stays");
        ck_assert_str_eq(json_object_get_string(value) + 6, expected);
        json_object_put(value);
    }
}
END_TEST

START_TEST(a_text_has_at_most_the_allowed_number_of_values)
{
    static const char TEXT[] = "[1,{\"a\":null},\"x\"]";
    const json_limits enough = {.bytes = sizeof TEXT - 1, .values = 5};
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_parse_within("t.json", TEXT, sizeof TEXT - 1, &enough, &value, &err), ASSAY_OK);
    json_object_put(value);
    value = NULL;
    const json_limits values = {.bytes = sizeof TEXT - 1, .values = 4};
    ck_assert_int_eq(json_parse_within("t.json", TEXT, sizeof TEXT - 1, &values, &value, &err),
                     ASSAY_EUNSUPPORTED);
    ck_assert_str_eq(err.text, "t.json: found more than 4 values, expected no more");
    const json_limits bytes = {.bytes = sizeof TEXT - 2, .values = 5};
    ck_assert_int_eq(json_parse_within("t.json", TEXT, sizeof TEXT - 1, &bytes, &value, &err),
                     ASSAY_EUNSUPPORTED);
    ck_assert_ptr_null(value);
}
END_TEST

START_TEST(a_text_has_a_limit_of_values_unless_another_is_given)
{
    json_object *value = NULL;
    assay_error err;
    const size_t n = 2 * JSON_VALUES_MAX; /* the list itself, and JSON_VALUES_MAX elements */
    char *text = malloc(n + 1);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < n; i++) text[i] = i % 2 ? '1' : ',';
    text[0] = '[';
    text[n] = ']';
    ck_assert_int_eq(json_parse("t.json", text, n + 1, &value, &err), ASSAY_EUNSUPPORTED);
    ck_assert_str_eq(err.text, "t.json: found more than 4194304 values, expected no more");
    const char *path = support_write(support_tmpdir(), "t.json", text, n + 1);
    ck_assert_int_eq(json_read(path, &value, &err), ASSAY_EUNSUPPORTED);
    ck_assert_ptr_null(value);
    ck_assert_int_eq(json_check("t.json", text, n + 1, &err), ASSAY_OK);
    free(text);
}
END_TEST

START_TEST(files_are_read_whole)
{
    enum { N = 300000 };
    char *text = malloc(N);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', N);
    text[0] = '[';
    text[N - 1] = ']';
    const char *path = support_write(support_tmpdir(), "good.json", text, N);
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_read(path, &value, &err), ASSAY_OK);
    ck_assert(json_object_is_type(value, json_type_array));
    json_object_put(value);

    path = support_write(support_tmpdir(), "cut.json", text, N - 1);
    ck_assert_int_eq(json_read(path, &value, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, path, "byte 299999: found the end of the text", NULL);
    free(text);
}
END_TEST

START_TEST(files_that_are_not_regular_are_refused)
{
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_read(support_tmpdir(), &value, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, support_tmpdir(), "found a directory", "expected a regular file",
                         NULL);

    char fifo[4200];
    (void)snprintf(fifo, sizeof fifo, "%s/fifo.json", support_tmpdir());
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    ck_assert_int_eq(json_read(fifo, &value, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, fifo, "found a FIFO", "expected a regular file", NULL);
    ck_assert_int_eq(json_read("/dev/null", &value, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "found a device", NULL);
}
END_TEST

START_TEST(missing_files_are_refused_with_the_systems_reason)
{
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/none.json", support_tmpdir());
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_read(path, &value, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "none.json: No such file or directory", NULL);
    ck_assert(strncmp(err.text, path, strlen(path)) == 0);
}
END_TEST

START_TEST(files_above_64_mib_are_refused)
{
    const char *path = support_write(support_tmpdir(), "huge.json", "", 0);
    ck_assert_int_eq(truncate(path, (off_t)JSON_SIZE_MAX + 1), 0);
    json_object *value = NULL;
    assay_error err;
    ck_assert_int_eq(json_read(path, &value, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, path, "found 67108865 bytes", "expected at most 67108864",
                         NULL);
    /* Detected before an allocation. */
    ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
    ck_assert_int_eq(json_read(path, &value, &err), ASSAY_EUNSUPPORTED);
    ck_assert_int_eq(json_parse("t.json", "", JSON_SIZE_MAX + 1, &value, &err), ASSAY_EUNSUPPORTED);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

static const struct {
    const char *a, *b;
    bool by_value, by_type; /* what json_equals answers */
} pairs[] = {
    {"1000", "1e3", true, false},
    {"1", "1.5", false, false},
    {"9007199254740993", "9007199254740992", false, false},         /* both are the same double */
    {"18446744073709551616", "18446744073709551617", false, false}, /* beyond 64 bits */
    {"18446744073709551616", "18446744073709551615", false, false},
    {"-9223372036854775809", "-9223372036854775808", false, false},
    {"36893488147419103232", "36893488147419103232", true, true},
    {"1000000000000000000000000000000", "1e30", true, false},
    {"1000000000000000000000000000000", "18446744073709551615.0", false, false},
    {"0", "-0", true, true},
    {"[1, 2]", "[1.0, 2]", true, false},
    {"[1, 2]", "[1, 3]", false, false},
    {"[1, 2]", "[1]", false, false},
    {"{\"a\": [1], \"b\": null}", "{\"b\": null, \"a\": [1.0]}", true, false},
    {"{\"a\": 1}", "{\"a\": 1, \"b\": 2}", false, false},
    {"{\"a\": 1}", "{\"b\": 1}", false, false},
    {"{\"a\": null}", "{\"b\": null}", false, false},
    {"\"1\"", "1", false, false},
    {"\"a\"", "\"a\"", true, true},
    {"true", "false", false, false},
    {"null", "null", true, true},
    {"[]", "{}", false, false},
};

START_TEST(values_are_compared_independently_of_their_spelling)
{
    json_object *a = NULL, *b = NULL;
    ck_assert_int_eq(json_parse("a", pairs[_i].a, strlen(pairs[_i].a), &a, NULL), ASSAY_OK);
    ck_assert_int_eq(json_parse("b", pairs[_i].b, strlen(pairs[_i].b), &b, NULL), ASSAY_OK);
    ck_assert_int_eq(json_equals(a, b, JSON_BY_VALUE), pairs[_i].by_value);
    ck_assert_int_eq(json_equals(b, a, JSON_BY_VALUE), pairs[_i].by_value);
    ck_assert_int_eq(json_equals(a, b, JSON_BY_TYPE), pairs[_i].by_type);
    ck_assert_int_eq(json_equals(b, a, JSON_BY_TYPE), pairs[_i].by_type);
    json_object_put(a);
    json_object_put(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/json");
    TCase *tc = tcase_create("documents");
    tcase_add_test(tc, numbers_of_tokenizer_configs_survive);
    tcase_add_test(tc, numbers_are_printed_with_their_spelling);
    tcase_add_test(tc, a_string_with_nul_is_no_c_string);
    tcase_add_test(tc, parsing_keeps_every_value);
    tcase_add_test(tc, refused_text_leaves_the_result_untouched);
    tcase_add_test(tc, every_escaped_surrogate_pair_is_its_character);
    tcase_add_test(tc, a_text_has_at_most_the_allowed_number_of_values);
    tcase_add_test(tc, a_text_has_a_limit_of_values_unless_another_is_given);
    tcase_add_loop_test(tc, values_are_compared_independently_of_their_spelling, 0,
                        sizeof pairs / sizeof *pairs);
    tcase_add_test(tc, files_are_read_whole);
    tcase_add_test(tc, files_that_are_not_regular_are_refused);
    tcase_add_test(tc, missing_files_are_refused_with_the_systems_reason);
    tcase_add_test(tc, files_above_64_mib_are_refused);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
