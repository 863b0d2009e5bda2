/* Explicit positions in all three engines: what they mean for ropes, masks and lengths.
 *
 * Names families: a row has a rule of positions, and a checkpoint that follows it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "conformance/plans/tests/engines.h"

#include <stdlib.h>
#include <string.h>

/* One rope; sections of both kinds; windows; frequencies that depend on the length; several ropes and shared
 * keys; parallel streams; experts. */
static const setting SETTINGS[] = {{"llama/base", NULL},
                                   {"qwen2/base", "chunked-sections"},
                                   {"qwen3/window", "interleaved-sections"},
                                   {"qwen3/window", NULL},
                                   {"llama/dynamic", NULL},
                                   {"phi3/longrope", NULL},
                                   {"gemma4/shared-kv", NULL},
                                   {"gemma3n/text", NULL},
                                   {"qwen3_moe/base", NULL},
                                   {"llama/base", "no-ropes"},
                                   {"granite/base", NULL},
                                   {"olmo2/base", "chunked-sections"},
                                   {"gemma2/base", NULL}};
enum { N_SETTINGS = sizeof SETTINGS / sizeof *SETTINGS };
static const setting PLAIN = {"llama/base", NULL}, DYNAMIC = {"llama/dynamic", NULL},
                     LONG = {"phi3/longrope", NULL}, SECTIONS = {"llama/base", "chunked-sections"},
                     NO_ROPES = {"llama/base", "no-ropes"};

/* The distance between the logits of the text at two lists of positions. */
static double distance_between(int engine, setting s, const positions *a, const positions *b)
{
    opened o = engines_open(engine, s);
    double *of_a = engines_whole(&o, a), *of_b = engines_whole(&o, b);
    const double d = engines_distance(of_a, of_b, LENGTH * o.vocab);
    free(of_a);
    free(of_b);
    engines_close(&o);
    return d;
}

START_TEST(the_index_of_each_token_as_its_position_changes_no_bit)
{
    const positions none = {0}, one = positions_shifted(1, 0), three = positions_shifted(3, 0);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        ck_assert(distance_between(_i, SETTINGS[i], &none, &one) == 0);
        ck_assert(distance_between(_i, SETTINGS[i], &none, &three) == 0);
    }
}
END_TEST

START_TEST(a_shift_of_all_positions_changes_logits_by_no_more_than_the_noise)
{
    const positions none = {0}, shifted = positions_shifted(1, 1000);
    const double bound = _i == REF64 ? 1e-11 : engines_bound(PLAIN, &shifted);
    const double d = distance_between(_i, PLAIN, &none, &shifted);
    ck_assert_msg(d > 0 && d <= bound, "found %g, expected at most %g", d, bound);
}
END_TEST

START_TEST(layers_without_rope_ignore_positions)
{
    const positions none = {0}, drawn = positions_drawn(3);
    ck_assert(distance_between(_i, NO_ROPES, &none, &drawn) == 0);
}
END_TEST

START_TEST(three_equal_axes_give_the_bits_of_one)
{
    positions one = positions_drawn(1), three = one;
    three.n_axes = 3;
    for (size_t a = 1; a < N_AXES; a++) memcpy(three.list + a * LENGTH, one.list, LENGTH * sizeof *one.list);
    for (size_t i = 0; i < N_SETTINGS; i++) ck_assert(distance_between(_i, SETTINGS[i], &one, &three) == 0);
}
END_TEST

START_TEST(each_axis_turns_a_rope_with_sections)
{
    const positions drawn = positions_drawn(3);
    for (size_t a = 0; a < N_AXES; a++) {
        positions other = drawn;
        other.list[a * LENGTH + 7] += 50;
        ck_assert(distance_between(_i, SECTIONS, &drawn, &other) > 1e-4);
    }
}
END_TEST

START_TEST(a_rope_without_sections_takes_the_first_axis)
{
    const positions three = positions_drawn(3), one = positions_drawn(1);
    ck_assert(distance_between(_i, PLAIN, &three, &one) == 0);
}
END_TEST

/* A token attends to those before it, wherever they are: what comes later changes nothing, even at an earlier
 * position. */
START_TEST(masks_go_by_index_and_not_by_position)
{
    const setting windows = {"qwen3/window", NULL};
    positions a = positions_shifted(1, 100), b = a;
    b.list[LENGTH - 1] = 0;
    opened o = engines_open(_i, windows);
    double *of_a = engines_whole(&o, &a), *of_b = engines_whole(&o, &b);
    ck_assert(engines_distance(of_a, of_b, (LENGTH - 1) * o.vocab) == 0);
    ck_assert(engines_distance(of_a + (LENGTH - 1) * o.vocab, of_b + (LENGTH - 1) * o.vocab, o.vocab) > 1e-4);
    free(of_a);
    free(of_b);
    engines_close(&o);
}
END_TEST

/* A dynamic rope grows its base with the largest position, a longrope changes its factors: a shift is then
 * visible, and so is one far position for the tokens before it. */
START_TEST(frequencies_depend_on_the_largest_position_of_any_axis)
{
    const setting settings[] = {DYNAMIC, LONG};
    positions near = positions_shifted(3, 0), far = near;
    for (size_t t = 0; t < LENGTH; t++)
        for (size_t a = 0; a < N_AXES; a++) near.list[a * LENGTH + t] = (int32_t)(t % 8);
    far = near;
    far.list[2 * LENGTH + LENGTH - 1] =
        90; /* the ropes have no sections: the third axis counts for length alone */
    for (size_t i = 0; i < 2; i++) ck_assert(distance_between(_i, settings[i], &near, &far) > 1e-4);
    ck_assert(distance_between(_i, PLAIN, &near, &far) == 0);
}
END_TEST

START_TEST(fastpath_agrees_with_ref64_at_drawn_positions)
{
    const positions drawn = positions_drawn(3);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        opened truth = engines_open(REF64, SETTINGS[i]), o = engines_open(FASTPATH, SETTINGS[i]);
        double *expected = engines_whole(&truth, &drawn), *found = engines_whole(&o, &drawn);
        const double d = engines_distance(expected, found, LENGTH * o.vocab);
        const double bound = engines_bound(SETTINGS[i], &drawn);
        ck_assert_msg(d <= bound, "%s, %s: found %g, expected at most %g", SETTINGS[i].model,
                      SETTINGS[i].change, d, bound);
        free(expected);
        free(found);
        engines_close(&truth);
        engines_close(&o);
    }
}
END_TEST

START_TEST(a_sample_of_text_alone_has_the_index_of_each_token_as_its_position)
{
    opened o = engines_open(_i, PLAIN);
    int32_t out[N_AXES * LENGTH], delta;
    for (size_t n_axes = 1; n_axes <= N_AXES; n_axes += 2) {
        const assay_step step = {.tokens = TEXT, .n_tokens = LENGTH, .n_axes = n_axes};
        memset(out, 0xff, sizeof out);
        delta = 77;
        ck_assert_int_eq(o.engine->positions(o.model, &step, out, &delta, &err), ASSAY_OK);
        ck_assert_int_eq(delta, 0);
        for (size_t i = 0; i < N_AXES * LENGTH; i++)
            ck_assert_int_eq(out[i], i < n_axes * LENGTH ? (int32_t)(i % LENGTH) : -1);
    }
    engines_close(&o);
}
END_TEST

START_TEST(positions_of_items_are_refused_by_name)
{
    static const assay_item image = {.kind = ASSAY_ITEM_IMAGE};
    static const int32_t outside[] = {100000};
    static const struct {
        assay_step step;
        assay_status status;
        const char *text;
    } bad[] = {{{.tokens = TEXT, .n_tokens = 2, .n_axes = 3, .items = &image, .n_items = 1},
                ASSAY_EUNSUPPORTED,
                "image"},
               {{.tokens = TEXT, .n_tokens = 2, .n_axes = 2},
                ASSAY_EINVAL,
                "positions: found 2 axes, expected 1 or 3"},
               {{.tokens = TEXT, .n_tokens = 2}, ASSAY_EINVAL, "positions: found 0 axes, expected 1 or 3"},
               {{.tokens = TEXT, .n_axes = 1}, ASSAY_EINVAL, "found 0 tokens"},
               {{.tokens = outside, .n_tokens = 1, .n_axes = 1}, ASSAY_EINVAL, "found token 100000"}};
    opened o = engines_open(_i, PLAIN);
    int32_t out[N_AXES * LENGTH] = {77}, delta = 77;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(o.engine->positions(o.model, &bad[i].step, out, &delta, &err), bad[i].status);
        support_expect_error(&err, bad[i].status, bad[i].text, NULL);
    }
    ck_assert_int_eq(out[0], 77);
    ck_assert_int_eq(delta, 77);
    engines_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/plans/positions");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, the_index_of_each_token_as_its_position_changes_no_bit, 0, N_ENGINES);
    tcase_add_loop_test(all, a_shift_of_all_positions_changes_logits_by_no_more_than_the_noise, 0, N_ENGINES);
    tcase_add_loop_test(all, layers_without_rope_ignore_positions, 0, N_ENGINES);
    tcase_add_loop_test(all, three_equal_axes_give_the_bits_of_one, 0, N_ENGINES);
    tcase_add_loop_test(all, each_axis_turns_a_rope_with_sections, 0, N_ENGINES);
    tcase_add_loop_test(all, a_rope_without_sections_takes_the_first_axis, 0, N_ENGINES);
    tcase_add_loop_test(all, masks_go_by_index_and_not_by_position, 0, N_ENGINES);
    tcase_add_loop_test(all, frequencies_depend_on_the_largest_position_of_any_axis, 0, N_ENGINES);
    tcase_add_test(all, fastpath_agrees_with_ref64_at_drawn_positions);
    tcase_add_loop_test(all, a_sample_of_text_alone_has_the_index_of_each_token_as_its_position, 0,
                        N_ENGINES);
    tcase_add_loop_test(all, positions_of_items_are_refused_by_name, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
