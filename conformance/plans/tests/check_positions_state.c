/* Explicit positions of samples that are divided, rewound and forked, in all three engines, and refusals.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "conformance/plans/tests/engines.h"

#include <stdlib.h>
#include <string.h>

/* Sections; rotating caches; frequencies that depend on the length; shared keys. */
static const setting SETTINGS[] = {{"llama/base", "chunked-sections"},
                                   {"qwen3/window", "interleaved-sections"},
                                   {"llama/dynamic", NULL},
                                   {"phi3/longrope", NULL},
                                   {"gemma4/shared-kv", NULL}};
enum { N_SETTINGS = sizeof SETTINGS / sizeof *SETTINGS, N_LOOPS = N_ENGINES * N_SETTINGS };
static const positions NONE = {0};

static opened open_loop(int i)
{
    return engines_open(i / N_SETTINGS, SETTINGS[i % N_SETTINGS]);
}

/* Expects the logits of the text's tokens from `from` on. The bits of ref may depend on the number of rows
 * (see ref/tests/engines.h). */
static void expect_rows(const opened *o, const double *found, const double *whole, size_t from)
{
    const size_t n = (LENGTH - from) * o->vocab;
    const double d = engines_distance(found, whole + from * o->vocab, n);
    const double bound = strcmp(o->engine->name, "fastpath") == 0 ? 0
                         : o->engine->logits_dtype == ASSAY_F64   ? 1e-12
                                                                  : 1e-4;
    ck_assert_msg(d <= bound, "from token %zu: found a difference of %g, expected at most %g", from, d,
                  bound);
}

/* Evaluates tokens from … end - 1 without looking at their logits. */
static void append(const opened *o, size_t sample, size_t from, size_t end, const positions *p)
{
    free(engines_step(o, sample, from, end, p));
}

/* The rest of the text in steps of at most n tokens; expects the logits of the last step, since earlier ones
 * had frequencies of a shorter sequence. */
static void expect_rest(const opened *o, size_t sample, size_t from, size_t n, const positions *p,
                        const double *whole)
{
    for (; from + n < LENGTH; from += n) append(o, sample, from, from + n, p);
    double *last = engines_step(o, sample, from, LENGTH, p);
    expect_rows(o, last, whole, from);
    free(last);
}

START_TEST(the_division_into_steps_does_not_change_positions)
{
    static const size_t SIZES[] = {1, 3, 17};
    opened o = open_loop(_i);
    const positions drawn = positions_drawn(3);
    double *whole = engines_whole(&o, &drawn);
    for (size_t i = 0; i < 3; i++) {
        expect_rest(&o, 0, 0, SIZES[i], &drawn, whole);
        ck_assert_int_eq(o.engine->rewind(o.session, 0, 0, &err), ASSAY_OK);
    }
    free(whole);
    engines_close(&o);
}
END_TEST

/* The positions of the first n tokens are drawn; the others go on after them. */
static positions continued(size_t n)
{
    positions p = positions_drawn(3);
    int32_t next = 0;
    for (size_t a = 0; a < N_AXES; a++)
        if (p.list[a * LENGTH + n - 1] >= next) next = p.list[a * LENGTH + n - 1] + 1;
    for (size_t t = n; t < LENGTH; t++)
        for (size_t a = 0; a < N_AXES; a++) p.list[a * LENGTH + t] = next + (int32_t)(t - n);
    return p;
}

START_TEST(tokens_without_positions_go_on_after_the_largest_of_the_previous_token)
{
    opened o = open_loop(_i);
    const positions drawn = positions_drawn(3), expected = continued(11);
    double *whole = engines_whole(&o, &expected);
    append(&o, 0, 0, 11, &drawn);
    expect_rest(&o, 0, 11, 4, &NONE, whole);
    free(whole);
    engines_close(&o);
}
END_TEST

START_TEST(tokens_before_the_first_explicit_position_are_at_their_index)
{
    opened o = open_loop(_i);
    positions later = positions_shifted(3, 0);
    const positions drawn = positions_drawn(3);
    for (size_t a = 0; a < N_AXES; a++)
        memcpy(later.list + a * LENGTH + 9, drawn.list + a * LENGTH + 9, (LENGTH - 9) * sizeof *later.list);
    double *whole = engines_whole(&o, &later);
    append(&o, 0, 0, 9, &NONE);
    expect_rest(&o, 0, 9, 20, &drawn, whole);
    free(whole);
    engines_close(&o);
}
END_TEST

/* 30 tokens back, further than a window; what was rewound had other positions. */
START_TEST(a_rewind_drops_positions_with_their_tokens)
{
    opened o = open_loop(_i);
    const positions drawn = positions_drawn(3), other = positions_shifted(3, 60), after = continued(5);
    double *whole = engines_whole(&o, &drawn), *plain = engines_whole(&o, &NONE),
           *whole_after = engines_whole(&o, &after);
    append(&o, 0, 0, 10, &drawn);
    append(&o, 0, 10, LENGTH, &other);
    ck_assert_int_eq(o.engine->rewind(o.session, 0, 10, &err), ASSAY_OK);
    expect_rest(&o, 0, 10, 8, &drawn, whole);
    ck_assert_int_eq(o.engine->rewind(o.session, 0, 5, &err), ASSAY_OK);
    expect_rest(&o, 0, 5, LENGTH, &NONE, whole_after);
    ck_assert_int_eq(o.engine->rewind(o.session, 0, 0, &err), ASSAY_OK);
    expect_rest(&o, 0, 0, LENGTH, &NONE, plain);
    free(whole);
    free(plain);
    free(whole_after);
    engines_close(&o);
}
END_TEST

START_TEST(a_fork_has_the_positions_of_its_origin)
{
    opened o = open_loop(_i);
    size_t forked;
    const positions drawn = positions_drawn(3), after = continued(20);
    double *whole = engines_whole(&o, &drawn), *whole_after = engines_whole(&o, &after);
    append(&o, 0, 0, 20, &drawn);
    ck_assert_int_eq(o.engine->fork(o.session, 0, o.session, &forked, &err), ASSAY_OK);
    expect_rest(&o, 0, 20, 7, &drawn, whole);
    expect_rest(&o, forked, 20, 7, &NONE, whole_after);
    ck_assert_int_eq(o.engine->rewind(o.session, forked, 3, &err), ASSAY_OK);
    expect_rest(&o, forked, 3, LENGTH, &drawn, whole);
    free(whole);
    free(whole_after);
    engines_close(&o);
}
END_TEST

static const int32_t NEGATIVE[] = {0, 1, 0, 1, 0, -1}, GOOD[] = {0, 1, 2, 3, 4, 5}, LAST[] = {INT32_MAX};

static const struct {
    assay_step step;
    const char *text;
} BAD[] = {
    {{.tokens = TEXT, .n_tokens = 2, .positions = GOOD}, "positions: found 0 axes, expected 1 or 3"},
    {{.tokens = TEXT, .n_tokens = 2, .positions = GOOD, .n_axes = 2}, "found 2 axes, expected 1 or 3"},
    {{.tokens = TEXT, .n_tokens = 1, .positions = GOOD, .n_axes = 4}, "found 4 axes, expected 1 or 3"},
    {{.tokens = TEXT, .n_tokens = 2, .positions = NEGATIVE, .n_axes = 3},
     "axis 2, token 1: found position -1, expected at least 0"},
    {{.tokens = TEXT, .n_tokens = 6, .positions = NEGATIVE, .n_axes = 1},
     "axis 0, token 5: found position -1"},
};

START_TEST(positions_that_no_rope_has_are_refused_by_name_and_no_sample_changes)
{
    opened o = open_loop(_i);
    const positions drawn = positions_drawn(3), after = continued(20);
    double *whole = engines_whole(&o, &after);
    append(&o, 0, 0, 20, &drawn);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        ck_assert_int_eq(o.engine->step(o.session, &BAD[i].step, 1, NULL, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, "step: sample 0: ", BAD[i].text, NULL);
    }
    expect_rest(&o, 0, 20, LENGTH, &NONE, whole);
    free(whole);
    engines_close(&o);
}
END_TEST

START_TEST(nothing_goes_on_after_the_last_position)
{
    opened o = engines_open(_i, SETTINGS[0]);
    const assay_step last = {.tokens = TEXT, .n_tokens = 1, .positions = LAST, .n_axes = 1},
                     next = {.tokens = TEXT, .n_tokens = 1};
    ck_assert_int_eq(o.engine->step(o.session, &last, 1, NULL, &err), ASSAY_OK);
    ck_assert_int_eq(o.engine->step(o.session, &next, 1, NULL, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found 1 tokens from position 2147483648 on, expected at most 0",
                         NULL);
    ck_assert_int_eq(o.engine->step(o.session, &last, 1, NULL, &err), ASSAY_OK);
    engines_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/plans/positions_state");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, the_division_into_steps_does_not_change_positions, 0, N_LOOPS);
    tcase_add_loop_test(all, tokens_without_positions_go_on_after_the_largest_of_the_previous_token, 0,
                        N_LOOPS);
    tcase_add_loop_test(all, tokens_before_the_first_explicit_position_are_at_their_index, 0, N_LOOPS);
    tcase_add_loop_test(all, a_rewind_drops_positions_with_their_tokens, 0, N_LOOPS);
    tcase_add_loop_test(all, a_fork_has_the_positions_of_its_origin, 0, N_LOOPS);
    tcase_add_loop_test(all, positions_that_no_rope_has_are_refused_by_name_and_no_sample_changes, 0,
                        N_LOOPS);
    tcase_add_loop_test(all, nothing_goes_on_after_the_last_position, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
