/* Fields of replies: which ones are equal, and how a message shows a difference.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "conformance/support/fields.h"
#include "conformance/tests/support.h"

static assay_text text_of(const char *text)
{
    return (assay_text){text, strlen(text)};
}

START_TEST(invalid_json_leaves_no_value)
{
    static const char *const texts[] = {"", "{", "[1] x", "nul", "{\"a\":}", "1 2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_object *value = (json_object *)(uintptr_t)texts;
        ck_assert_msg(!conf_field_parse(text_of(texts[i]), &value), "%s", texts[i]);
        ck_assert_ptr_null(value);
    }
}
END_TEST

START_TEST(white_space_is_that_of_pythons_strip)
{
    static const char *const spaces[] = {
        "\t",     "\n",     "\v",     "\f",     "\r",     "\x1c",   "\x1d",   "\x1e",   "\x1f",    " ",
        "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",  "\u2007",
        "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\xc2\x85"};
    static const char *const others[] = {"a", "\x1b", "!", "\x7f", "\u200b", "\u180e", "\ufeff", "\u2010"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%s%sa%sb%s", spaces[i], spaces[i], spaces[i], spaces[i]);
        const assay_text left = conf_field_strip(text_of(text));
        ck_assert_uint_eq(left.n, 2 + strlen(spaces[i]));
        ck_assert(left.at[0] == 'a' && left.at[left.n - 1] == 'b');
        ck_assert_uint_eq(conf_field_strip(text_of(spaces[i])).n, 0);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_uint_eq(conf_field_strip(text_of(others[i])).n, strlen(others[i]));
}
END_TEST

#define DIGITS "0123456789"
#define FIFTY  DIGITS DIGITS DIGITS DIGITS DIGITS

/* Texts that differ, and the message for each pair. */
static const struct {
    const char *expected, *found, *shown;
} different[] = {
    {"a", "b", "f: expected \"a\", found \"b\" (they differ at byte 0)"},
    {"", "b", "f: expected null, found \"b\" (they differ at byte 0)"},
    {"ab", "a", "f: expected \"ab\", found \"a\" (they differ at byte 1)"},
    {DIGITS "12345a" FIFTY, DIGITS "12345b",
     "f: expected \"" DIGITS "12345a" DIGITS DIGITS DIGITS "01…\", found \"" DIGITS
     "12345b\" (they differ at byte 15)"},
    {FIFTY "a", FIFTY "b",
     "f: expected \"…456789" DIGITS "a\", found \"…456789" DIGITS "b\" (they differ at byte 50)"},
    {"\u20ac" DIGITS "01234a", "\u20ac" DIGITS "01234b",
     "f: expected \"\u20ac" DIGITS "01234a\", found \"\u20ac" DIGITS "01234b\" (they differ at byte 18)"},
};

START_TEST(a_difference_is_shown_from_a_little_before_it)
{
    char text[256];
    ck_assert(!conf_field_same("f", text_of(different[_i].expected), text_of(different[_i].found), text,
                               sizeof text));
    ck_assert_str_eq(text, different[_i].shown);
    ck_assert(
        conf_field_same("f", text_of(different[_i].found), text_of(different[_i].found), text, sizeof text));
}
END_TEST

START_TEST(calls_are_counted)
{
    conf_fields fields = {0};
    char text[256];
    const assay_sink sink = conf_fields_sink(&fields);
    json_object *one = json_tokener_parse("[{\"name\":\"f\",\"arguments\":{\"x\":1}}]");
    ck_assert(conf_calls_equal(NULL, &fields, text, sizeof text));
    ck_assert(!conf_calls_equal(one, &fields, text, sizeof text));
    ck_assert_str_eq(text, "calls: expected 1, found 0");
    sink.take(sink.context, ASSAY_PART_CALL, "f", 1);
    sink.take(sink.context, ASSAY_PART_ARGUMENTS, "{\"x\":", 5);
    sink.take(sink.context, ASSAY_PART_ARGUMENTS, " 1.0}", 5);
    ck_assert(conf_calls_equal(one, &fields, text, sizeof text));
    sink.take(sink.context, ASSAY_PART_CALL, "g", 1);
    ck_assert(!conf_calls_equal(one, &fields, text, sizeof text));
    ck_assert_str_eq(text, "calls: expected 1, found 2");
    ck_assert_ptr_null(fields.broken);
    json_object_put(one);
    conf_fields_free(&fields);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/support/fields");
    TCase *all = tcase_create("all");
    tcase_add_test(all, invalid_json_leaves_no_value);
    tcase_add_test(all, white_space_is_that_of_pythons_strip);
    tcase_add_loop_test(all, a_difference_is_shown_from_a_little_before_it, 0,
                        sizeof different / sizeof *different);
    tcase_add_test(all, calls_are_counted);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
