/* The convolutions of an audio clip, on inputs whose results are known exactly: GELU leaves numbers from 9 on
 * as they are, and 0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/audio.h"

#include "base/tests/support.h"
#include "model/tests/weight.h"

enum { CHUNK = 16, CENTRE = 4, RIGHT = 5 };

static plan_weight matrix(const double *data, size_t rows, size_t cols)
{
    return weight_of(data, ASSAY_F64, rows, cols);
}

/* Weights that read the value in the middle, and the one after it. */
static const double MIDDLE[9] = {[CENTRE] = 1}, AFTER[9] = {[RIGHT] = 1};

static plan_audio_convolution one_channel(const double weights[9])
{
    return (plan_audio_convolution){.product = {.weight = matrix(weights, 1, 9)}};
}

/* A front end that only takes each eighth bin and frame. */
static plan_audio plain_audio(size_t n_bins)
{
    plan_audio s = {.n_bins = n_bins, .chunk = CHUNK};
    for (size_t i = 0; i < PLAN_AUDIO_CONVOLUTIONS; i++) s.convolutions[i] = one_channel(MIDDLE);
    return s;
}

static void expect_rows(const plan_audio *s, const double *spectrogram, size_t n_frames,
                        const double *expected)
{
    double rows[64];
    const size_t n = plan_audio_rows(s, n_frames) * plan_audio_width(s);
    ck_assert_uint_le(n, 64);
    ck_assert_int_eq(ref_audio_rows(s, spectrogram, n_frames, rows), ASSAY_OK);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(rows[i] == expected[i], "[%zu]: %.17g, not %.17g", i, rows[i], expected[i]);
}

START_TEST(each_convolution_halves_bins_and_frames_rounding_up)
{
    const plan_audio s = {.n_bins = 11, .chunk = 100};
    ck_assert_uint_eq(plan_audio_rest(11), 2);
    ck_assert_uint_eq(plan_audio_rest(128), 16);
    ck_assert_uint_eq(plan_audio_rows(&s, 1), 1);
    ck_assert_uint_eq(plan_audio_rows(&s, 60), 8);
    ck_assert_uint_eq(plan_audio_rows(&s, 100), 13);
    ck_assert_uint_eq(plan_audio_rows(&s, 101), 14);
    ck_assert_uint_eq(plan_audio_rows(&s, 260), 34);
}
END_TEST

START_TEST(a_convolution_reads_its_neighbours_and_zeros_beyond_the_ends)
{
    const double first[9] = {7, 7, 7, 1, 10, 100, 7, 7, 7}; /* there is one bin: 7 reads zeros */
    plan_audio s = plain_audio(1);
    double x[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) x[i] = (double)i + 10;
    s.convolutions[0] = one_channel(first);
    expect_rows(&s, x, CHUNK, (const double[]){100 + 1100, 17 + 180 + 1900});
}
END_TEST

START_TEST(bins_are_neighbours_as_frames_are)
{
    double first[9] = {0};
    first[1] = 1; /* the bin before, of the same frame */
    first[7] = 10;
    plan_audio s = plain_audio(3);
    s.convolutions[0] = one_channel(first);
    expect_rows(&s, (const double[]){10, 20, 30}, 1, (const double[]){200}); /* of 2 bins the first, of 1 */
}
END_TEST

START_TEST(a_row_has_the_bins_of_one_channel_after_those_of_another)
{
    double last[18] = {0};
    double x[9];
    last[CENTRE] = 1;
    last[9 + CENTRE] = 10;
    for (size_t b = 0; b < 9; b++) x[b] = (double)(10 + 10 * b);
    plan_audio s = plain_audio(9);
    s.convolutions[2].product.weight = matrix(last, 2, 9);
    ck_assert_uint_eq(plan_audio_width(&s), 4);
    expect_rows(&s, x, 1, (const double[]){10, 90, 100, 900});
}
END_TEST

START_TEST(weights_may_have_the_channels_first_or_last)
{
    double two[18] = {0}, first[18] = {0}, last[18] = {0};
    two[CENTRE] = 1;
    two[9 + RIGHT] = 1;
    first[CENTRE] = 1;
    first[9 + CENTRE] = 100;
    last[2 * CENTRE] = 1;
    last[2 * CENTRE + 1] = 100;
    plan_audio s = plain_audio(1);
    s.convolutions[0].product.weight = matrix(two, 2, 9);
    for (int is_last = 0; is_last < 2; is_last++) {
        s.convolutions[1] = (plan_audio_convolution){
            .product = {.weight = matrix(is_last ? last : first, 1, 18)}, .channels_last = is_last};
        expect_rows(&s, (const double[]){11, 12}, 2, (const double[]){1211});
    }
}
END_TEST

/* The second convolution reads beyond the only frame: there is nothing, or the bias of the first. */
START_TEST(a_short_chunk_is_extended_to_the_longest_of_its_own_clip_alone)
{
    const double bias[] = {20};
    double x[CHUNK + 1];
    plan_audio s = plain_audio(1);
    s.convolutions[0].product.bias = matrix(bias, 1, 1);
    s.convolutions[1] = one_channel(AFTER);
    for (size_t i = 0; i < CHUNK + 1; i++) x[i] = 0;
    expect_rows(&s, x, 1, (const double[]){0});
    expect_rows(&s, x, CHUNK + 1, (const double[]){20, 20, 20});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/audio");
    TCase *t = tcase_create("all");
    tcase_add_test(t, each_convolution_halves_bins_and_frames_rounding_up);
    tcase_add_test(t, a_convolution_reads_its_neighbours_and_zeros_beyond_the_ends);
    tcase_add_test(t, bins_are_neighbours_as_frames_are);
    tcase_add_test(t, a_row_has_the_bins_of_one_channel_after_those_of_another);
    tcase_add_test(t, weights_may_have_the_channels_first_or_last);
    tcase_add_test(t, a_short_chunk_is_extended_to_the_longest_of_its_own_clip_alone);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
