/* Scales: round ends and ticks for any numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/picture/scale.h"

#include <float.h>
#include <math.h>

#include "conformance/tests/support.h"

static void assert_sound(const picture_scale *s)
{
    ck_assert(isfinite(s->low) && isfinite(s->high) && s->low < s->high);
    ck_assert_uint_ge(s->n_ticks, 2);
    ck_assert_uint_le(s->n_ticks, PICTURE_TICKS_MAX);
    ck_assert_double_eq(s->ticks[0], s->low);
    for (size_t i = 0; i < s->n_ticks; i++) {
        ck_assert(i == 0 || s->ticks[i - 1] < s->ticks[i]);
        ck_assert_double_le(s->ticks[i], s->high);
    }
}

START_TEST(a_linear_scale_has_round_ticks_and_zero)
{
    const picture_scale s = picture_scale_fit((const double[]){3, 9.7}, 2, false);
    ck_assert_uint_eq(s.n_ticks, 6);
    for (size_t i = 0; i < 6; i++) ck_assert_double_eq(s.ticks[i], 2 * (double)i);
    ck_assert_double_eq(s.high, 10);
    ck_assert_double_eq(picture_scale_place(&s, 2.5), 0.25);
}
END_TEST

START_TEST(a_logarithmic_scale_ends_at_powers_of_ten)
{
    const picture_scale s = picture_scale_fit((const double[]){0.03, 200}, 2, true);
    ck_assert_double_eq(s.low, 0.01);
    ck_assert_double_eq(s.high, 1000);
    ck_assert_uint_eq(s.n_ticks, 6);
    ck_assert_double_eq_tol(picture_scale_place(&s, 1), 0.4, 1e-15);
}
END_TEST

START_TEST(wide_ranges_have_few_ticks)
{
    const picture_scale s = picture_scale_fit((const double[]){1e-12, 1e9}, 2, true);
    assert_sound(&s);
    ck_assert_double_eq(s.low, 1e-12);
    ck_assert_double_eq(s.high, 1e9);
    ck_assert_uint_eq(s.n_ticks, 8);
}
END_TEST

static const double awkward[][3] = {
    {0, 0, 0},
    {7, 7, 7},
    {-3, -3, -3},
    {NAN, NAN, NAN},
    {INFINITY, -INFINITY, NAN},
    {INFINITY, 2, NAN},
    {DBL_MAX, -DBL_MAX, 0},
    {DBL_MIN, DBL_TRUE_MIN, 0},
    {1e-12, 1e9, 1},
    {1, 1 + DBL_EPSILON, 1},
    {0.1, 0.2, 0.30000000000000004},
};

START_TEST(any_numbers_have_a_scale)
{
    for (int is_log = 0; is_log < 2; is_log++) {
        const picture_scale s = picture_scale_fit(awkward[_i], 3, is_log);
        assert_sound(&s);
        for (size_t i = 0; i < 3; i++) {
            const double place = picture_scale_place(&s, awkward[_i][i]);
            ck_assert(isnan(awkward[_i][i]) ? isnan(place) : place >= 0 && place <= 1);
        }
    }
}
END_TEST

START_TEST(no_numbers_have_a_scale)
{
    const picture_scale linear = picture_scale_fit(NULL, 0, false),
                        logarithmic = picture_scale_fit(NULL, 0, true);
    ck_assert_double_eq(linear.high, 1);
    ck_assert_double_eq(logarithmic.low, 1);
    ck_assert_double_eq(logarithmic.high, 10);
}
END_TEST

START_TEST(infinity_is_at_the_end_and_zero_at_the_beginning)
{
    const picture_scale s = picture_scale_fit((const double[]){1, INFINITY, 0}, 3, true);
    ck_assert_double_eq(picture_scale_place(&s, INFINITY), 1);
    ck_assert_double_eq(picture_scale_place(&s, 0), 0);
}
END_TEST

START_TEST(numbers_are_short)
{
    char text[PICTURE_NUMBER_MAX];
    const double values[] = {0.25, 1e-12, 35211.4, -0.0, INFINITY, -INFINITY, -(double)NAN};
    const char *const texts[] = {"0.25", "1e-12", "3.521e+04", "0", "infinity", "-infinity", "NaN"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        picture_number(text, values[i]);
        ck_assert_str_eq(text, texts[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/picture/scale");
    TCase *t = tcase_create("all");
    tcase_add_test(t, a_linear_scale_has_round_ticks_and_zero);
    tcase_add_test(t, a_logarithmic_scale_ends_at_powers_of_ten);
    tcase_add_test(t, wide_ranges_have_few_ticks);
    tcase_add_loop_test(t, any_numbers_have_a_scale, 0, sizeof awkward / sizeof *awkward);
    tcase_add_test(t, no_numbers_have_a_scale);
    tcase_add_test(t, infinity_is_at_the_end_and_zero_at_the_beginning);
    tcase_add_test(t, numbers_are_short);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
