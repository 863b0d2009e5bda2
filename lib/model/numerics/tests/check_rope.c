/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/rope.h"

#include "base/tests/support.h"

#include <math.h>

/* Powers of two, so that the expected values are exact: theta 16 over 8 elements gives 1, 1/2, 1/4, 1/8. */
static rope plain(rope_type type)
{
    return (rope){.type = type,
                  .head_dim = 8,
                  .dim = 8,
                  .exponent_dim = 8,
                  .theta = 16,
                  .factor = 1,
                  .attention_factor = 1};
}

static void expect_frequencies(const rope *r, size_t length, double a, double b, double c, double d)
{
    const double expected[] = {a, b, c, d};
    double f[4];
    rope_frequencies(r, length, f);
    for (size_t i = 0; i < 4; i++)
        ck_assert_msg(fabs(f[i] - expected[i]) <= 1e-15, "frequency %zu: %.17g", i, f[i]);
}

START_TEST(default_frequencies_fall_by_powers_of_theta)
{
    rope r = plain(ROPE_DEFAULT);
    expect_frequencies(&r, 5, 1, 0.5, 0.25, 0.125);
}
END_TEST

START_TEST(linear_divides_every_frequency)
{
    rope r = plain(ROPE_LINEAR);
    r.factor = 4;
    expect_frequencies(&r, 5, 0.25, 0.125, 0.0625, 0.03125);
}
END_TEST

START_TEST(dynamic_changes_nothing_up_to_the_trained_length)
{
    rope r = plain(ROPE_DYNAMIC);
    r.factor = 2;
    r.max_length = 10;
    expect_frequencies(&r, 10, 1, 0.5, 0.25, 0.125);
    double f[4];
    rope_frequencies(&r, 11, f);
    ck_assert(f[0] == 1 && f[1] < 0.5 && f[3] < 0.125);
}
END_TEST

START_TEST(longrope_changes_its_factors_just_beyond_the_original_length)
{
    double small[] = {1, 1, 1, 1}, large[] = {2, 2, 4, 4};
    rope r = plain(ROPE_LONGROPE);
    r.original_length = 16;
    r.short_factor = small;
    r.long_factor = large;
    expect_frequencies(&r, 16, 1, 0.5, 0.25, 0.125);
    expect_frequencies(&r, 17, 0.5, 0.25, 0.0625, 0.03125);
}
END_TEST

START_TEST(proportional_leaves_the_last_pairs_still)
{
    rope r = plain(ROPE_PROPORTIONAL);
    r.n_angles = 2;
    r.factor = 2;
    expect_frequencies(&r, 5, 0.5, 0.25, 0, 0);
}
END_TEST

START_TEST(llama3_keeps_short_waves_and_divides_long_ones)
{
    rope r = plain(ROPE_LLAMA3);
    r.factor = 8;
    r.low_freq_factor = 1;
    r.high_freq_factor = 4;
    r.original_length = 40; /* wavelengths 6.3, 12.6, 25.1, 50.3 against bands 10 and 40 */
    double f[4];
    rope_frequencies(&r, 5, f);
    ck_assert(f[0] == 1);
    ck_assert(f[1] < 0.5 && f[1] > 0.5 / 8);
    ck_assert(f[3] == 0.125 / 8);
}
END_TEST

START_TEST(yarn_with_equal_ends_does_not_divide_by_zero)
{
    rope r = plain(ROPE_YARN);
    r.factor = 4;
    r.beta_fast = r.beta_slow = 1000; /* both ends fall below 0 and are clamped there */
    r.original_length = 8;
    r.truncate = true;
    double f[4];
    rope_frequencies(&r, 5, f);
    for (size_t i = 0; i < 4; i++) ck_assert(isfinite(f[i]) && f[i] > 0);
}
END_TEST

START_TEST(sections_deal_frequencies_to_axes)
{
    static const size_t CHUNKED[] = {0, 0, 1, 2, 2, 2}, INTERLEAVED[] = {0, 1, 2, 0, 1, 0},
                        ALTERNATING[] = {1, 2, 1, 2, 0, 0};
    rope chunked = {.dim = 12, .sections = ROPE_SECTIONS_CHUNKED, .section = {2, 1, 3}};
    rope interleaved = {.dim = 12, .sections = ROPE_SECTIONS_INTERLEAVED, .section = {3, 2, 1}};
    rope alternating = {.dim = 12, .sections = ROPE_SECTIONS_ALTERNATING, .section = {2, 2, 2}};
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(rope_axis(&chunked, i), CHUNKED[i]);
        ck_assert_uint_eq(rope_axis(&interleaved, i), INTERLEAVED[i]);
        ck_assert_uint_eq(rope_axis(&alternating, i), ALTERNATING[i]);
    }
}
END_TEST

/* The angles of all elements, 4 of axis 0, 2 of axis 1, 2 of axis 2 and 4 of axis 3: elements i and i + 6 are
 * a pair. */
START_TEST(doubled_sections_turn_the_elements_of_a_pair_by_axes_of_their_own)
{
    static const size_t AXES[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 3};
    const rope r = {
        .dim = 12, .sections = ROPE_SECTIONS_DOUBLED, .section = {2, 1, 1, 2}, .attention_factor = 1};
    const double f[] = {1, 0.5, 0.25, 0.125, 0.0625, 0.03125};
    const int32_t position[] = {3, 5, 7, 11};
    double c[12], s[12];
    ck_assert_uint_eq(rope_n_axes(&r), 4);
    ck_assert_uint_eq(rope_n_angles(&r), 12);
    rope_tables(&r, f, position, 4, 1, c, s);
    for (size_t i = 0; i < 12; i++) {
        const double angle = position[AXES[i]] * f[i % 6];
        ck_assert_uint_eq(rope_axis(&r, i), AXES[i]);
        ck_assert(c[i] == cos(angle) && s[i] == sin(angle));
    }
    rope_tables(&r, f, position, 1, 1, c, s);
    ck_assert(c[11] == cos(3 * 0.03125));
}
END_TEST

/* Towers: both halves of the angles have the same frequencies. */
START_TEST(sections_of_a_tower_divide_the_angles_between_row_and_column)
{
    rope r = plain(ROPE_DEFAULT);
    r.exponent_dim = 4;
    r.sections = ROPE_SECTIONS_ROW_COLUMN;
    expect_frequencies(&r, 5, 1, 0.25, 1, 0.25);
    const int32_t position[] = {9, 2, 3};
    const double f[] = {1, 0.25, 1, 0.25}, rows_first[] = {2, 0.5, 3, 0.75},
                 columns_first[] = {3, 0.75, 2, 0.5};
    double c[4], s[4];
    rope_tables(&r, f, position, 3, 1, c, s);
    for (size_t i = 0; i < 4; i++) ck_assert(c[i] == cos(rows_first[i]) && s[i] == sin(rows_first[i]));
    r.sections = ROPE_SECTIONS_COLUMN_ROW;
    r.pairing = ROPE_PAIRS_QUARTER; /* of the rotation alone */
    expect_frequencies(&r, 5, 1, 0.25, 1, 0.25);
    rope_tables(&r, f, position, 3, 1, c, s);
    for (size_t i = 0; i < 4; i++) ck_assert(c[i] == cos(columns_first[i]) && s[i] == sin(columns_first[i]));
}
END_TEST

START_TEST(tables_hold_scaled_cosines_and_sines_of_each_axis)
{
    rope r = plain(ROPE_DEFAULT);
    r.sections = ROPE_SECTIONS_CHUNKED;
    r.section[0] = 2;
    r.section[1] = r.section[2] = 1;
    r.attention_factor = 2;
    const int32_t position[] = {3, 5, 7};
    const double f[] = {1, 0.5, 0.25, 0.125};
    const double angle[] = {3, 1.5, 5 * 0.25, 7 * 0.125};
    double c[4], s[4];
    rope_tables(&r, f, position, 3, 1, c, s);
    for (size_t i = 0; i < 4; i++) ck_assert(c[i] == 2 * cos(angle[i]) && s[i] == 2 * sin(angle[i]));
    rope_tables(&r, f, position, 1, 1, c, s);
    ck_assert(c[3] == 2 * cos(3 * 0.125));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/numerics/rope");
    TCase *all = tcase_create("all");
    tcase_add_test(all, default_frequencies_fall_by_powers_of_theta);
    tcase_add_test(all, linear_divides_every_frequency);
    tcase_add_test(all, dynamic_changes_nothing_up_to_the_trained_length);
    tcase_add_test(all, longrope_changes_its_factors_just_beyond_the_original_length);
    tcase_add_test(all, proportional_leaves_the_last_pairs_still);
    tcase_add_test(all, llama3_keeps_short_waves_and_divides_long_ones);
    tcase_add_test(all, yarn_with_equal_ends_does_not_divide_by_zero);
    tcase_add_test(all, sections_deal_frequencies_to_axes);
    tcase_add_test(all, doubled_sections_turn_the_elements_of_a_pair_by_axes_of_their_own);
    tcase_add_test(all, sections_of_a_tower_divide_the_angles_between_row_and_column);
    tcase_add_test(all, tables_hold_scaled_cosines_and_sines_of_each_axis);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
