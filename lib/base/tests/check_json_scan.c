/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/tests/support.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks text in a block of exactly n bytes, so that a sanitizer detects a read past its end. */
static assay_status check_exactly(const char *text, size_t n, assay_error *err)
{
    char *copy = malloc(n > 0 ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, n);
    const assay_status rc = json_check("t.json", copy, n, err);
    free(copy);
    return rc;
}

static void expect_accepted(const char *text)
{
    assay_error err = {ASSAY_OK, "untouched"};
    ck_assert_msg(check_exactly(text, strlen(text), &err) == ASSAY_OK, "%s: %s", text, err.text);
    ck_assert_str_eq(err.text, "untouched");
    json_object *value = NULL;
    ck_assert_msg(json_parse("t.json", text, strlen(text), &value, &err) == ASSAY_OK, "%s: %s", text,
                  err.text);
    json_object_put(value);
}

static void expect_refused(const char *text, const char *found, const char *expected)
{
    assay_error err = {ASSAY_OK, ""};
    ck_assert_msg(check_exactly(text, strlen(text), &err) != ASSAY_OK, "accepted: %s", text);
    support_expect_error(&err, ASSAY_EFORMAT, "t.json: ", found, expected, NULL);
    ck_assert_int_eq(check_exactly(text, strlen(text), NULL), ASSAY_EFORMAT);
}

START_TEST(values_of_every_kind_are_accepted)
{
    static const char *const TEXTS[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-0.0",
        "17",
        "1.5",
        "1e2",
        "1E+2",
        "1.25e-3",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[1, 2]",
        "[[], {}]",
        " \t\r\n{ \"a\" : [ 1 , \"b\" ] } \n",
        "{\"a\":{\"a\":1},\"b\":{\"a\":1}}",
        "{\"\":1}",
        "18446744073709551615",
        "-9223372036854775808",
        "1e-400",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"",
        "\"\\u0000\"",
        "\"\x7f\"",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) expect_accepted(TEXTS[i]);
}
END_TEST

START_TEST(broken_structure_is_refused)
{
    expect_refused("", "byte 0: found the end of the text", "expected a value");
    expect_refused("  ", "byte 2: found the end of the text", "expected a value");
    expect_refused("[", "found the end of the text", "expected a value");
    expect_refused("[1", "found the end of the text", "expected ',' or ']'");
    expect_refused("[1,]", "byte 3: found ']'", "expected a value");
    expect_refused("[,1]", "found ','", "expected a value");
    expect_refused("[1 2]", "byte 3: found '2'", "expected ',' or ']'");
    expect_refused("[1}", "found '}'", "expected ',' or ']'");
    expect_refused("{\"a\":1]", "found ']'", "expected ',' or '}'");
    expect_refused("{", "found the end of the text", "expected a member name");
    expect_refused("{,}", "found ','", "expected a member name");
    expect_refused("{\"a\":1,}", "byte 7: found '}'", "expected a member name");
    expect_refused("{a:1}", "found 'a'", "expected a member name");
    expect_refused("{1:1}", "found '1'", "expected a member name");
    expect_refused("{\"a\" 1}", "found '1'", "expected ':'");
    expect_refused("{\"a\"", "found the end of the text", "expected ':'");
    expect_refused("{\"a\":}", "found '}'", "expected a value");
    expect_refused("{\"a\":]", "found ']'", "expected a value");
    expect_refused("]", "byte 0: found ']'", "expected a value");
    expect_refused("'a'", "found '''", "expected a value");
    expect_refused("/**/1", "found '/'", "expected a value");
    expect_refused("[1]\f", "byte 3: found byte 0x0c", "expected the end of the text after the value");
}
END_TEST

START_TEST(trailing_bytes_are_refused)
{
    expect_refused("{} x", "byte 3: found 'x'", "expected the end of the text after the value");
    expect_refused("1 2", "found '2'", "expected the end of the text after the value");
    expect_refused("[]]", "found ']'", "expected the end of the text after the value");
    assay_error err;
    ck_assert_int_eq(check_exactly("{}\0", 3, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "byte 2: found byte 0x00", NULL);
}
END_TEST

START_TEST(byte_order_marks_are_refused_by_name)
{
    expect_refused("\xef\xbb\xbf{}", "byte 0: found a byte order mark", "expected a value");
}
END_TEST

START_TEST(other_words_are_refused_by_name)
{
    expect_refused("NaN", "found 'NaN'", "expected a value");
    expect_refused("[Infinity]", "byte 1: found 'Infinity'", "expected a value");
    expect_refused("-Infinity", "byte 1: found 'Infinity'", "expected a digit");
    expect_refused("nul", "found 'nul'", "expected a value");
    expect_refused("True", "found 'True'", "expected a value");
    expect_refused("nulls", "found 'nulls'", "expected a value");
}
END_TEST

START_TEST(numbers_outside_the_grammar_are_refused)
{
    expect_refused("-", "found the end of the text", "expected a digit");
    expect_refused("+1", "found '+'", "expected a value");
    expect_refused(".5", "found '.'", "expected a value");
    expect_refused("01", "byte 1: found '1'", "expected the end of the text after");
    expect_refused("-01", "found '1'", "expected the end of the text after");
    expect_refused("1.", "found the end of the text", "expected a digit");
    expect_refused("[1.]", "found ']'", "expected a digit");
    expect_refused("1.e1", "found 'e'", "expected a digit");
    expect_refused("1e", "found the end of the text", "expected a digit");
    expect_refused("1e+", "found the end of the text", "expected a digit");
    expect_refused("0x10", "found 'x'", "expected the end of the text after");
    expect_refused("1e400", "found number 1e400", "range of a double");
    expect_refused("{\"a\":{\"b\":1},\"c\":[1e400]}", "c: found number 1e400", "range of a double");
    expect_refused("[-1.5E+999]", "found number -1.5E+999", "range of a double");
}
END_TEST

START_TEST(non_numbers_are_refused_by_member_name)
{
    expect_refused("{\"eps\":NaN}", "found 'NaN'", "expected a value in member 'eps'");
    expect_refused("{\"a\":{\"b\":1},\"eps\":[0,-Infinity]}", "found 'Infinity'",
                   "expected a digit in member 'eps'");
    expect_refused("NaN", "found 'NaN'", "expected a value");
}
END_TEST

START_TEST(long_numbers_are_read_whole)
{
    char text[2002];
    memset(text, '1', sizeof text);
    memcpy(text + 1990, "e-1800", 6);
    assay_error err;
    for (size_t n = 1; n < 200; n++) ck_assert_int_eq(check_exactly(text, n, &err), ASSAY_OK);
    ck_assert_int_eq(check_exactly(text, 1996, &err), ASSAY_OK);
    memcpy(text + 1990, "e+1800", 6);
    ck_assert_int_eq(check_exactly(text, 1996, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "found number 1111", "range of a double", NULL);
}
END_TEST

START_TEST(text_that_is_not_utf8_is_refused)
{
    static const char *const TEXTS[] = {
        "\"\x80\"",             /* a continuation byte without a lead */
        "\"\xc3\"",             /* cut by the quote */
        "\"\xc0\x80\"",         /* overlong U+0000 */
        "\"\xc1\xbf\"",         /* overlong U+007F */
        "\"\xe0\x9f\xbf\"",     /* overlong U+07FF */
        "\"\xf0\x8f\xbf\xbf\"", /* overlong U+FFFF */
        "\"\xed\xa0\x80\"",     /* U+D800 */
        "\"\xed\xbf\xbf\"",     /* U+DFFF */
        "\"\xf4\x90\x80\x80\"", /* U+110000 */
        "\"\xf5\x80\x80\x80\"",
        "\"\xff\"",
        "\"\xe2\x82\"",
        "\"\xe2\x28\xa1\"",
        "\"\xf0\x9f\x98\"",
        "{\"\xff\":1}",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        expect_refused(TEXTS[i], "found byte 0x", "expected valid UTF-8");
    expect_refused("\"\xc3", "found byte 0xc3", "expected valid UTF-8");
}
END_TEST

START_TEST(boundaries_of_utf8_are_accepted)
{
    static const char *const TEXTS[] = {"\"\xc2\x80\"",         "\"\xdf\xbf\"",        "\"\xe0\xa0\x80\"",
                                        "\"\xed\x9f\xbf\"",     "\"\xee\x80\x80\"",    "\"\xef\xbf\xbf\"",
                                        "\"\xf0\x90\x80\x80\"", "\"\xf4\x8f\xbf\xbf\""};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) expect_accepted(TEXTS[i]);
}
END_TEST

START_TEST(broken_strings_are_refused)
{
    expect_refused("\"a", "byte 2: found the end of the text", "to end the string");
    expect_refused("\"\\", "found byte 0x5c", "expected an escape");
    expect_refused("\"\\x\"", "found byte 0x5c", "expected an escape");
    expect_refused("\"\\u12\"", "found byte 0x5c", "expected an escape");
    expect_refused("\"\\u12g4\"", "found byte 0x5c", "expected an escape");
    expect_refused("\"\\U0041\"", "found byte 0x5c", "expected an escape");
    expect_refused("\"a\nb\"", "byte 2: found byte 0x0a", "control characters to be escaped");
    expect_refused("\"\x1f\"", "found byte 0x1f", "control characters to be escaped");
    assay_error err;
    ck_assert_int_eq(check_exactly("\"\\\0\"", 4, &err), ASSAY_EFORMAT);
    ck_assert_int_eq(check_exactly("\"\0\"", 3, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "found byte 0x00", NULL);
}
END_TEST

/* A string of `fill`, with byte c at `place`. */
static void expect_byte(char fill, size_t n, size_t place, int c)
{
    const bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
    char text[32], found[64];
    memset(text, fill, sizeof text);
    text[0] = text[n - 1] = '"';
    text[place] = (char)c;
    assay_error err;
    const assay_status rc = check_exactly(text, n, &err);
    if ((rc == ASSAY_OK) != plain) ck_abort_msg("0x%02x at byte %zu of %zu", (unsigned)c, place, n);
    if (plain || c == '"' || c == '\\') return;
    snprintf(found, sizeof found, "byte %zu: found byte 0x%02x", place, (unsigned)c);
    support_expect_error(&err, ASSAY_EFORMAT, found, NULL);
}

START_TEST(every_byte_is_recognised_at_every_offset)
{
    static const char FILL[] = " !#[]a\x7f";
    for (const char *fill = FILL; *fill; fill++)
        for (size_t n = 3; n < 22; n++)
            for (size_t place = 1; place < n - 1; place++)
                for (int c = 0; c < 256; c++) expect_byte(*fill, n, place, c);
}
END_TEST

START_TEST(surrogates_without_partner_are_refused)
{
    static const char *const TEXTS[] = {"\"\\ud800\"",        "\"\\udc00\"",        "\"\\ud800x\"",
                                        "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\\udfff\\ud800\"",
                                        "\"\\ud83d\\n\"",     "\"\\ud83d\\ude0\"",  "\"\\udbff",
                                        "\"\\udc00\\udc00\"", "\"\\ud800\\ue000\""};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        expect_refused(TEXTS[i], "found byte 0x5c", "expected a high surrogate followed by a low one");
    expect_accepted("\"\\ud83d\\ude00\\uDBFF\\uDFFF\\ud7ff\\ue000\"");
}
END_TEST

START_TEST(depth_is_limited)
{
    char text[2 * (JSON_DEPTH_MAX + 1) + 1];
    for (int depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        if (depth == JSON_DEPTH_MAX) expect_accepted(text);
        else expect_refused(text, "byte 32: found '[' at level 33", "expected at most 32 levels");
    }
    expect_refused("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{", "byte 32: found '{' at level 33",
                   "at most 32 levels");
}
END_TEST

START_TEST(duplicate_names_are_refused_after_unescaping)
{
    expect_refused("{\"a\":1,\"a\":2}", "byte 7: found member name 'a' again (first at byte 1)",
                   "expected it once; the publisher's reader takes the last");
    expect_refused("{\"\\u0061\":1,\"b\":0,\"a\":2}", "found member name 'a' again", "first at byte 1");
    expect_refused("{\"\":1,\"\":2}", "found member name '' again", "expected it once");
    expect_refused("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}", "again", "expected it once");
    expect_refused("{\"\\/\":1,\"/\":2}", "again", "expected it once");
    expect_refused("[{\"x\":{\"b\":1,\"a\":{},\"b\":3}}]", "member name 'b' again", "expected it once");
    expect_accepted(
        "{\"a\":1,\"aa\":2,\"A\":3,\"\\u0061b\":4,\"x\":{\"a\":1,\"b\":{\"a\":1}},\"b\":[{\"a\":1}]}");
}
END_TEST

START_TEST(duplicate_names_are_found_among_many)
{
    enum { N = 20000 };
    char *text = malloc((size_t)N * 16);
    ck_assert_ptr_nonnull(text);
    size_t n = 0;
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(text + n, "%s\"n%d\":%d", i > 0 ? "," : "{", (i * 7919) % N, i);
    memcpy(text + n, "}", 2);
    expect_accepted(text);
    (void)sprintf(text + n, ",\"n%d\":0}", 123);
    expect_refused(text, "found member name 'n123' again", "expected it once");
    free(text);
}
END_TEST

START_TEST(nul_in_a_member_name_is_refused)
{
    expect_refused("{\"a\\u0000b\":1}", "found U+0000 in member name 'a\\u0000b'", "expected none");
}
END_TEST

START_TEST(long_names_are_cut_between_characters_in_messages)
{
    char text[1000] = "{\"";
    for (size_t i = 0; i < 120; i++) strcat(text, "\xe2\x82\xac");
    strcat(text, "\\u0000\":1}");
    char shown[100] = "'";
    for (size_t i = 0; i < 26; i++) strcat(shown, "\xe2\x82\xac");
    strcat(shown, "'");
    expect_refused(text, shown, "expected none");
}
END_TEST

/* A rich text with flipped bytes. What json_check accepts json-c must accept too. */
START_TEST(flipped_bytes_never_crash)
{
    static const char TEXT[] = "{\"a\\u0062\":[1,-2.5e+3,true,null,\"\\ud83d\\ude00\xe2\x82\xac\\n\"],"
                               "\"b\":{\"c\":\"\xf0\x9f\x98\x80\",\"d\":{}},\"e\":[[[[]]]]}";
    uint32_t seed = 1;
    for (int round = 0; round < 50000; round++) {
        char text[sizeof TEXT];
        memcpy(text, TEXT, sizeof TEXT);
        for (int k = 0; k <= round % 4; k++) {
            seed = seed * 1664525U + 1013904223U;
            text[(seed >> 8) % (sizeof TEXT - 1)] ^= (char)(1U << (seed >> 29));
        }
        assay_error err;
        json_object *value = NULL;
        if (check_exactly(text, sizeof TEXT - 1, &err) != ASSAY_OK)
            ck_assert(err.status == ASSAY_EFORMAT && !strchr(err.text, '\n'));
        else
            ck_assert_msg(json_parse("t.json", text, sizeof TEXT - 1, &value, &err) == ASSAY_OK, "%s",
                          err.text);
        json_object_put(value);
    }
}
END_TEST

START_TEST(every_cut_is_refused)
{
    static const char TEXT[] = "{\"a\":[1,-2.5e+3,true,null,\"\\ud83d\\ude00\xe2\x82\xac\"],\"b\":{}}";
    assay_error err;
    ck_assert_int_eq(check_exactly(TEXT, sizeof TEXT - 1, &err), ASSAY_OK);
    for (size_t n = 0; n + 1 < sizeof TEXT; n++)
        ck_assert_int_eq(check_exactly(TEXT, n, &err), ASSAY_EFORMAT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/json_scan");
    TCase *tc = tcase_create("texts");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, values_of_every_kind_are_accepted);
    tcase_add_test(tc, broken_structure_is_refused);
    tcase_add_test(tc, trailing_bytes_are_refused);
    tcase_add_test(tc, byte_order_marks_are_refused_by_name);
    tcase_add_test(tc, other_words_are_refused_by_name);
    tcase_add_test(tc, numbers_outside_the_grammar_are_refused);
    tcase_add_test(tc, non_numbers_are_refused_by_member_name);
    tcase_add_test(tc, long_numbers_are_read_whole);
    tcase_add_test(tc, text_that_is_not_utf8_is_refused);
    tcase_add_test(tc, boundaries_of_utf8_are_accepted);
    tcase_add_test(tc, broken_strings_are_refused);
    tcase_add_test(tc, every_byte_is_recognised_at_every_offset);
    tcase_add_test(tc, surrogates_without_partner_are_refused);
    tcase_add_test(tc, depth_is_limited);
    tcase_add_test(tc, duplicate_names_are_refused_after_unescaping);
    tcase_add_test(tc, duplicate_names_are_found_among_many);
    tcase_add_test(tc, nul_in_a_member_name_is_refused);
    tcase_add_test(tc, long_names_are_cut_between_characters_in_messages);
    tcase_add_test(tc, flipped_bytes_never_crash);
    tcase_add_test(tc, every_cut_is_refused);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
