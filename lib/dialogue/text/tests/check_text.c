/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/text/text.h"

#include <string.h>

#include "base/tests/support.h"

static void expect_unfinished(const char *text, size_t n)
{
    ck_assert_msg(serve_text_unfinished(text, strlen(text)) == n, "\"%s\": %zu, expected %zu", text,
                  serve_text_unfinished(text, strlen(text)), n);
}

START_TEST(a_character_waits_for_its_last_byte)
{
    const char *const text = "a\xc3\xa9\xe6\x97\xa5\xf0\x9f\x91\x8d";
    const size_t expected[] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0};
    for (size_t n = 0; n < sizeof expected / sizeof expected[0]; n++)
        ck_assert_uint_eq(serve_text_unfinished(text, n), expected[n]);
}
END_TEST

START_TEST(invalid_utf8_is_not_held_back)
{
    expect_unfinished("a\x80", 0);
    expect_unfinished("\x80\x80\x80\x80", 0);
    expect_unfinished("\xc3\xa9\x80", 0);
    expect_unfinished("\xc0", 0); /* overlong */
    expect_unfinished("\xc1", 0);
    expect_unfinished("\xe0\x9f", 0);
    expect_unfinished("\xed\xa0", 0); /* a surrogate */
    expect_unfinished("\xf0\x8f\xbf", 0);
    expect_unfinished("\xf4\x90\x80", 0); /* beyond U+10FFFF */
    expect_unfinished("\xf5", 0);
    expect_unfinished("\xff", 0);
}
END_TEST

START_TEST(the_first_and_the_last_of_each_form_wait)
{
    expect_unfinished("\xc2", 1);
    expect_unfinished("\xdf", 1);
    expect_unfinished("\xe0\xa0", 2);
    expect_unfinished("\xe1\x80", 2);
    expect_unfinished("\xed\x9f", 2);
    expect_unfinished("\xef\xbf", 2);
    expect_unfinished("\xf0\x90\x80", 3);
    expect_unfinished("\xf1\x80\x80", 3);
    expect_unfinished("\xf4\x8f\xbf", 3);
}
END_TEST

/* All characters that are white space in Python 3.11. */
static const char *const spaces[] = {
    "\t",           "\n",           "\v",           "\f",           "\r",
    "\x1c",         "\x1d",         "\x1e",         "\x1f",         " ",
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

START_TEST(white_space_is_that_of_python)
{
    const size_t n_spaces = sizeof spaces / sizeof spaces[0];
    size_t found = 0;
    for (size_t i = 0; i < n_spaces; i++) {
        ck_assert_uint_eq(serve_text_space(spaces[i], strlen(spaces[i])), strlen(spaces[i]));
        ck_assert_uint_eq(serve_text_space(spaces[i], strlen(spaces[i]) - 1), 0);
    }
    for (unsigned a = 0; a < 0x80; a++) found += serve_text_space((const char[]){(char)a}, 1) > 0;
    for (unsigned a = 0xc2; a < 0xe0; a++)
        for (unsigned b = 0x80; b < 0xc0; b++)
            found += serve_text_space((const char[]){(char)a, (char)b}, 2) > 0;
    for (unsigned a = 0xe0; a < 0xf0; a++)
        for (unsigned b = 0x80; b < 0xc0; b++)
            for (unsigned c = 0x80; c < 0xc0; c++)
                found += serve_text_space((const char[]){(char)a, (char)b, (char)c}, 3) > 0;
    ck_assert_uint_eq(found, n_spaces);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/text/text");
    TCase *c = tcase_create("text");
    tcase_add_test(c, a_character_waits_for_its_last_byte);
    tcase_add_test(c, invalid_utf8_is_not_held_back);
    tcase_add_test(c, the_first_and_the_last_of_each_form_wait);
    tcase_add_test(c, white_space_is_that_of_python);
    suite_add_tcase(s, c);
    return support_run(s);
}
