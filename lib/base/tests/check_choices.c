/* SPDX-License-Identifier: Apache-2.0 */
#include "base/choices.h"

#include <assay/engine.h>
#include <string.h>

#include "base/tests/support.h"

START_TEST(the_last_choice_follows_or)
{
    static const char *const expected[] = {"1", "1 or 2", "1, 2 or 3"};
    for (size_t n = 1; n <= 3; n++) {
        char text[40] = "";
        for (size_t i = 0; i < n; i++) choices_add(text, sizeof text, n - 1 - i, "%zu", i + 1);
        ck_assert_str_eq(text, expected[n - 1]);
    }
}
END_TEST

START_TEST(what_does_not_fit_is_cut)
{
    char text[8] = "", guard[8] = "guard";
    for (size_t i = 0; i < 9; i++) choices_add(text, sizeof text, 8 - i, "ab");
    ck_assert_str_eq(text, "ab, ab,");
    ck_assert_str_eq(guard, "guard");
}
END_TEST

START_TEST(types_are_named_in_their_order)
{
    char text[80] = "before";
    choices_of_types(text, sizeof text, 1U << ASSAY_BF16 | 1U << ASSAY_F32 | 1U << ASSAY_F16);
    ck_assert_str_eq(text, "F32, F16 or BF16");
    choices_of_types(text, sizeof text, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/choices");
    TCase *tc = tcase_create("choices");
    tcase_add_test(tc, the_last_choice_follows_or);
    tcase_add_test(tc, what_does_not_fit_is_cut);
    tcase_add_test(tc, types_are_named_in_their_order);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
