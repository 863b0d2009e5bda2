/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "base/tests/support.h"

#include <string.h>

START_TEST(the_status_is_returned_with_and_without_a_text)
{
    assay_error err = {0};
    ck_assert_int_eq(assay_fail(NULL, ASSAY_EIO, "x"), ASSAY_EIO);
    ck_assert_int_eq(assay_fail(&err, ASSAY_EFORMAT, "%s: found %d", "file", 3), ASSAY_EFORMAT);
    ck_assert_int_eq(err.status, ASSAY_EFORMAT);
    ck_assert_str_eq(err.text, "file: found 3");
}
END_TEST

START_TEST(a_long_text_is_cut_and_ended)
{
    char longer[3000];
    assay_error err;
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    (void)assay_fail(&err, ASSAY_EIO, "%s", longer);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
}
END_TEST

START_TEST(control_characters_of_a_hostile_name_do_not_reach_the_terminal)
{
    assay_error err;
    (void)assay_fail(&err, ASSAY_EFORMAT, "tensor '%s'", "a\n\033[2Jb\177é");
    ck_assert_str_eq(err.text, "tensor 'a \\u001B[2Jb\\u007Fé'");
}
END_TEST

START_TEST(bytes_that_are_not_utf8_do_not_reach_the_terminal)
{
    assay_error err;
    (void)assay_fail(&err, ASSAY_EFORMAT, "%s", "a\xff\xc3(\xc2\x9b[2Jé\xe2\x82");
    ck_assert_str_eq(err.text, "a?"
                               "?(\\u009B[2Jé");
}
END_TEST

START_TEST(marks_of_direction_are_escapes_that_fit)
{
    char longer[600] = "";
    assay_error err;
    for (size_t i = 0; i + 3 < sizeof longer; i += 3) memcpy(longer + i, "\u202e", 4);
    (void)assay_fail(&err, ASSAY_EIO, "%s", longer);
    const size_t n = strlen(err.text);
    ck_assert_uint_gt(n, sizeof err.text - 8);
    ck_assert_str_eq(err.text + n - 6, "\\u202E");
}
END_TEST

START_TEST(every_status_has_its_name)
{
    char text[STATUS_TEXT_MAX];
    ck_assert_str_eq(assay_status_print(ASSAY_OK, text), "ASSAY_OK");
    ck_assert_str_eq(assay_status_print(ASSAY_EINVAL, text), "ASSAY_EINVAL");
    ck_assert_str_eq(assay_status_print(ASSAY_EUNSUPPORTED, text), "ASSAY_EUNSUPPORTED");
    for (int i = ASSAY_OK; i <= ASSAY_ESTOPPED; i++)
        ck_assert_int_eq(strncmp(assay_status_print((assay_status)i, text), "ASSAY_", 6), 0);
    ck_assert_str_eq(assay_status_print((assay_status)(ASSAY_ESTOPPED + 1), text), "status 10");
    ck_assert_str_eq(assay_status_print((assay_status)-2147483647, text), "status -2147483647");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/error");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_status_is_returned_with_and_without_a_text);
    tcase_add_test(all, a_long_text_is_cut_and_ended);
    tcase_add_test(all, control_characters_of_a_hostile_name_do_not_reach_the_terminal);
    tcase_add_test(all, bytes_that_are_not_utf8_do_not_reach_the_terminal);
    tcase_add_test(all, marks_of_direction_are_escapes_that_fit);
    tcase_add_test(all, every_status_has_its_name);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
