/* Text for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "conformance/support/text.h"
#include "conformance/tests/support.h"

/* The same form, however it is reached: in a buffer, as a copy, printed. */
static void assert_cleaned(const char *text, const char *expected)
{
    char copy[64];
    strcpy(copy, text);
    shown_clean(copy, sizeof copy);
    ck_assert_str_eq(copy, expected);
    char *cleaned = conf_text_cleaned(text);
    ck_assert_ptr_nonnull(cleaned);
    ck_assert_str_eq(cleaned, expected);
    ck_assert(conf_text_is_clean(cleaned));
    ck_assert_int_eq(conf_text_is_clean(text), strcmp(text, expected) == 0);
    free(cleaned);
}

START_TEST(valid_text_is_unchanged)
{
    assert_cleaned("größer als 4 × 日本 🙂", "größer als 4 × 日本 🙂");
}
END_TEST

START_TEST(white_space_becomes_blanks_and_controls_become_escapes)
{
    assert_cleaned("a\nb\tc\033[31md\177", "a b c\\u001B[31md\\u007F");
    assert_cleaned("a\xC2\x9B"
                   "31m",
                   "a\\u009B31m");
}
END_TEST

START_TEST(marks_of_direction_and_invisible_characters_become_escapes)
{
    assert_cleaned("a\xE2\x80\xAE"
                   "b\xD8\x9C"
                   "c\xE2\x81\xA6\xEF\xBB\xBF",
                   "a\\u202Eb\\u061Cc\\u2066\\uFEFF");
    assert_cleaned("\xF3\xA0\x80\xA1\xEF\xBF\xBE", "\\U000E0021\\uFFFE");
}
END_TEST

START_TEST(what_does_not_fit_is_cut_between_characters)
{
    static const struct {
        const char *text;
        size_t size;
        const char *expected;
    } rows[] = {{"a\033bcdefgh", 10, "a\\u001Bbc"},
                {"a\033bcdefgh", 11, "a\\u001Bbcd"},
                {"\033\033\033\033\033", 10, "\\u001B"},
                {"\033\033\033\033\033", 6, ""},
                {"\033éé", 9, "\\u001Bé"},
                {"\033éé", 10, "\\u001Bé"},
                {"\033éé", 11, "\\u001Béé"},
                {"", 1, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char copy[16];
        memset(copy, '#', sizeof copy);
        strcpy(copy, rows[i].text);
        shown_clean(copy, rows[i].size);
        ck_assert_str_eq(copy, rows[i].expected);
        if (rows[i].size < sizeof copy - 1) ck_assert_int_eq(copy[sizeof copy - 1], '#');
    }
}
END_TEST

START_TEST(bytes_that_are_not_utf8_become_question_marks)
{
    assert_cleaned("a\xFF\x80z", "a??z");
    assert_cleaned("\xC0\xAF", "??");
    assert_cleaned("\xED\xA0\x80", "???");
    assert_cleaned("\xF5\x80\x80\x80", "????");
    assert_cleaned("\xE2\x80z", "?z");
}
END_TEST

START_TEST(an_incomplete_last_character_is_removed)
{
    assert_cleaned("ab\xE2\x80", "ab");
}
END_TEST

typedef void print_text(FILE *out, const char *text, size_t width);

static const char *printed(print_text *print, const char *text, size_t width)
{
    static char buffer[128];
    memset(buffer, 0, sizeof buffer);
    FILE *out = fmemopen(buffer, sizeof buffer, "w");
    print(out, text, width);
    ck_assert_int_eq(fclose(out), 0);
    return buffer;
}

static void print_clean(FILE *out, const char *text, size_t width)
{
    (void)width;
    conf_text_print_clean(out, text);
}

START_TEST(hidden_characters_are_printed_as_escapes)
{
    ck_assert_str_eq(printed(print_clean,
                             "a\xE2\x80\xAE"
                             "b\033[31m\n\xC2\x9B\xF3\xA0\x80\xA1\xFF",
                             0),
                     "a\\u202Eb\\u001B[31m \\u009B\\U000E0021?");
}
END_TEST

START_TEST(fitted_text_has_the_width_that_was_asked_for)
{
    ck_assert_str_eq(printed(conf_text_print_fitted, "äö", 4), "äö  ");
    ck_assert_str_eq(printed(conf_text_print_fitted, "äöü", 3), "äöü");
    ck_assert_str_eq(printed(conf_text_print_fitted, "abcäöü", 4), "…äöü");
}
END_TEST

static void print_quoted(FILE *out, const char *text, size_t width)
{
    (void)width;
    conf_text_print_quoted(out, text);
}

START_TEST(a_quoted_word_is_one_line_of_utf8)
{
    ck_assert_str_eq(printed(print_quoted, "a\nb", 0), "$'a\\012b'");
    ck_assert_str_eq(printed(print_quoted, "it's\xFF\\ é\033", 0), "$'it\\047s\\377\\134 é\\033'");
    ck_assert_str_eq(printed(print_quoted,
                             "\xC2\x9B"
                             "7",
                             0),
                     "$'\\302\\2337'");
}
END_TEST

START_TEST(quoted_text_is_one_word_of_a_shell)
{
    ck_assert_str_eq(printed(print_quoted, "a/b-c.h5", 0), "a/b-c.h5");
    ck_assert_str_eq(printed(print_quoted, "a b", 0), "'a b'");
    ck_assert_str_eq(printed(print_quoted, "it's $x", 0), "'it'\\''s $x'");
    ck_assert_str_eq(printed(print_quoted, "", 0), "''");
    ck_assert_str_eq(printed(print_quoted, "größer", 0), "'größer'");
}
END_TEST

static const char *const words[] = {"run", "info", "list", "--engine", "--filter"};

START_TEST(a_near_word_is_suggested)
{
    ck_assert_str_eq(conf_text_suggest("rnu", words, 5), "run");
    ck_assert_str_eq(conf_text_suggest("lsit", words, 5), "list");
    ck_assert_str_eq(conf_text_suggest("--engines", words, 5), "--engine");
    ck_assert_str_eq(conf_text_suggest("--fitler", words, 5), "--filter");
}
END_TEST

START_TEST(the_ends_of_long_texts_are_compared)
{
    char a[200], b[200];
    (void)snprintf(a, sizeof a, "%0150d/qwen3/base", 1);
    (void)snprintf(b, sizeof b, "other%0140d/qwen3/bsae", 1);
    ck_assert_uint_eq(conf_text_distance(a, b), 1);
    ck_assert_uint_eq(conf_text_distance("", "abc"), 3);
    ck_assert_uint_eq(conf_text_distance("abc", "abc"), 0);
}
END_TEST

START_TEST(a_far_word_is_not_suggested)
{
    ck_assert_ptr_null(conf_text_suggest("diff", words, 5));
    ck_assert_ptr_null(conf_text_suggest("", words, 5));
    ck_assert_ptr_null(conf_text_suggest("--something-else", words, 5));
    char longest[200];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert_ptr_null(conf_text_suggest(longest, words, 5));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/support/text");
    TCase *text = tcase_create("text");
    tcase_add_test(text, valid_text_is_unchanged);
    tcase_add_test(text, white_space_becomes_blanks_and_controls_become_escapes);
    tcase_add_test(text, what_does_not_fit_is_cut_between_characters);
    tcase_add_test(text, marks_of_direction_and_invisible_characters_become_escapes);
    tcase_add_test(text, hidden_characters_are_printed_as_escapes);
    tcase_add_test(text, bytes_that_are_not_utf8_become_question_marks);
    tcase_add_test(text, an_incomplete_last_character_is_removed);
    tcase_add_test(text, fitted_text_has_the_width_that_was_asked_for);
    tcase_add_test(text, quoted_text_is_one_word_of_a_shell);
    tcase_add_test(text, a_quoted_word_is_one_line_of_utf8);
    tcase_add_test(text, a_near_word_is_suggested);
    tcase_add_test(text, the_ends_of_long_texts_are_compared);
    tcase_add_test(text, a_far_word_is_not_suggested);
    suite_add_tcase(suite, text);
    return support_run(suite);
}
