/* Bars in a terminal: as long as the error is large, and never wider than there is room.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/bar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static const char *bar(double multiple, double largest, size_t width)
{
    static char text[256];
    FILE *out = fmemopen(text, sizeof text, "w");
    ck_assert_ptr_nonnull(out);
    (void)memset(text, 0, sizeof text);
    conf_bar_print(out, multiple, largest, width);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* From 0.01 to 100, in 20 columns: five for each factor of ten. */
START_TEST(a_factor_of_ten_has_the_same_length_everywhere)
{
    ck_assert_str_eq(bar(0, 100, 20), "         |");
    ck_assert_str_eq(bar(0.001, 100, 20), "         |");
    ck_assert_str_eq(bar(0.1, 100, 20), "#####    |");
    ck_assert_str_eq(bar(1, 100, 20), "#########|");
    ck_assert_str_eq(bar(10, 100, 20), "###############");
    ck_assert_str_eq(bar(100, 100, 20), "####################");
}
END_TEST

START_TEST(what_is_over_the_bound_is_longer_than_what_is_not)
{
    ck_assert_uint_gt(strlen(bar(1.001, 100, 20)), strlen(bar(1, 100, 20)));
    ck_assert_ptr_null(strchr(bar(1.001, 100, 20), '|'));
    ck_assert_ptr_nonnull(strchr(bar(1, 100, 20), '|'));
}
END_TEST

START_TEST(no_bar_is_wider_than_its_place)
{
    static const double values[] = {0, 1e-300, 1, 1e300, INFINITY, NAN, -1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            for (size_t width = 0; width < 40; width++)
                ck_assert_uint_le(strlen(bar(values[i], values[k], width)), width);
    ck_assert_uint_eq(strlen(bar(INFINITY, INFINITY, 30)), 30);
    ck_assert_ptr_null(strchr(bar((double)NAN, 5, 30), '#'));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/bar");
    TCase *t = tcase_create("all");
    tcase_add_test(t, a_factor_of_ten_has_the_same_length_everywhere);
    tcase_add_test(t, what_is_over_the_bound_is_longer_than_what_is_not);
    tcase_add_test(t, no_bar_is_wider_than_its_place);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
