/* Steps of both reference engines: what they evaluate, and what they refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "ref/tests/engines.h"

#include <stdlib.h>
#include <string.h>

START_TEST(logits_are_batch_invariant)
{
    engines_open(_i);
    char *a = engines_blank(4), *b = engines_blank(N_TOKENS), *alone = engines_blank(N_TOKENS);
    const assay_output of_a = {.name = "logits", .n_last = 4, .data = a},
                       of_b = {.name = "logits", .n_last = N_TOKENS, .data = b};
    const assay_step steps[] = {
        {.sample = 1, .tokens = OTHER, .n_tokens = 4, .outputs = &of_a, .n_outputs = 1},
        {.sample = 0, .tokens = TEXT, .n_tokens = N_TOKENS, .outputs = &of_b, .n_outputs = 1}};
    const assay_step_options options = {.size = sizeof options, .padded_width = 100};
    ck_assert_msg(engine->step(session, steps, 2, &options, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < N_SAMPLES; i++) ck_assert_int_eq(engine->rewind(session, i, 0, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, OTHER, 4, 4, alone), ASSAY_OK);
    ck_assert_mem_eq(a, alone, 4 * engines_row_bytes());
    ck_assert_int_eq(engines_step(session, 1, TEXT, N_TOKENS, N_TOKENS, alone), ASSAY_OK);
    ck_assert_mem_eq(b, alone, N_TOKENS * engines_row_bytes());
    free(a);
    free(b);
    free(alone);
    engines_close();
}
END_TEST

START_TEST(chunks_of_any_size_give_the_logits_of_the_whole_prompt)
{
    static const size_t SIZES[] = {1, 3, 4};
    engines_open(_i);
    const size_t row = engines_row_bytes();
    char *whole = engines_blank(N_TOKENS), *chunks = engines_blank(N_TOKENS);
    ck_assert_int_eq(engines_step(session, 0, TEXT, N_TOKENS, N_TOKENS, whole), ASSAY_OK);
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        memset(chunks, 0xff, N_TOKENS * row);
        ck_assert_int_eq(engine->rewind(session, 1, 0, &err), ASSAY_OK);
        for (size_t t = 0, n; t < N_TOKENS; t += n) {
            n = t + SIZES[i] < N_TOKENS ? SIZES[i] : N_TOKENS - t;
            ck_assert_int_eq(engines_step(session, 1, TEXT + t, n, n, chunks + t * row), ASSAY_OK);
        }
        engines_expect_alike(chunks, whole, N_TOKENS);
    }
    free(whole);
    free(chunks);
    engines_close();
}
END_TEST

START_TEST(the_division_into_steps_does_not_change_a_bit_of_later_logits)
{
    engines_open(_i);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 2, 2, NULL), ASSAY_EINVAL); /* has no effect */
    for (size_t t = 0; t < N_TOKENS; t++)
        ck_assert_int_eq(engines_step(session, 0, TEXT + t, 1, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, TEXT, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, TEXT + 3, 3, 0, NULL), ASSAY_OK);
    engines_expect_tokens(session, 0, TEXT, N_TOKENS);
    engines_expect_tokens(session, 1, TEXT, N_TOKENS);
    engines_close();
}
END_TEST

START_TEST(the_last_rows_equal_those_of_all_rows)
{
    engines_open(_i);
    const size_t row = engines_row_bytes();
    char *all = engines_blank(N_TOKENS), *some = engines_blank(N_TOKENS + 1), *blank = engines_blank(1);
    ck_assert_int_eq(engines_step(session, 0, TEXT, N_TOKENS, N_TOKENS, all), ASSAY_OK);
    for (size_t k = 1; k <= N_TOKENS; k++) {
        memset(some, 0xff, (N_TOKENS + 1) * row);
        ck_assert_int_eq(engine->rewind(session, 1, 0, &err), ASSAY_OK);
        ck_assert_int_eq(engines_step(session, 1, TEXT, N_TOKENS, k, some), ASSAY_OK);
        engines_expect_alike(some, all + (N_TOKENS - k) * row, k);
        ck_assert_mem_eq(some + k * row, blank, row);
    }
    free(all);
    free(some);
    free(blank);
    engines_close();
}
END_TEST

START_TEST(a_resting_sample_goes_on_at_its_own_position)
{
    engines_open(_i);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 2, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, OTHER, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, OTHER + 3, 2, 0, NULL), ASSAY_OK);
    engines_expect_tokens(session, 0, TEXT, 2);
    ck_assert_int_eq(engines_step(session, 0, TEXT + 2, 1, 0, NULL), ASSAY_OK);
    engines_expect_tokens(session, 0, TEXT, 3);
    engines_expect_tokens(session, 1, OTHER, 5);
    engines_close();
}
END_TEST

static const assay_tensor PIXELS = {.name = "pixel_values", .dtype = ASSAY_F32};
static const assay_item IMAGE = {.kind = ASSAY_ITEM_IMAGE, .tensors = &PIXELS, .n_tensors = 1},
                        CLIP = {.kind = ASSAY_ITEM_AUDIO};
static const int32_t NEGATIVE[] = {1, -3}, TOO_LARGE[] = {1, INT32_MAX}, POSITIONS[] = {0, 1};
static double number;
static const assay_output HIDDEN = {.name = "hidden", .n_last = 1, .data = &number},
                          UNNAMED = {.n_last = 1, .data = &number},
                          NO_ROW = {.name = "logits", .n_last = 0, .data = &number},
                          MANY_ROWS = {.name = "logits", .n_last = 3, .data = &number},
                          NOWHERE = {.name = "logits", .n_last = 1},
                          TWICE[] = {{.name = "logits", .n_last = 1, .data = &number},
                                     {.name = "logits", .n_last = 1, .data = &number}};

/* Steps of sample 1, which has two tokens. */
static const struct {
    assay_step step;
    assay_status status;
    const char *text;
} BAD[] = {
    {{.sample = 2, .tokens = TEXT, .n_tokens = 2}, ASSAY_EINVAL, "the session has no sample 2"},
    {{.sample = SIZE_MAX, .tokens = TEXT, .n_tokens = 2}, ASSAY_EINVAL, "the session has no sample 1844"},
    {{.sample = 0, .tokens = TEXT, .n_tokens = 2}, ASSAY_EINVAL, "sample 0 is repeated"},
    {{.sample = 1, .tokens = TEXT}, ASSAY_EINVAL, "sample 1: found 0 tokens, expected at least 1"},
    {{.sample = 1, .n_tokens = 2}, ASSAY_EINVAL, "sample 1: tokens is NULL"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = INT32_MAX - 1},
     ASSAY_EINVAL,
     "sample 1: found 2147483646 tokens after 2, expected at most 2147483645"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = SIZE_MAX}, ASSAY_EINVAL, "after 2, expected at most"},
    {{.sample = 1, .tokens = NEGATIVE, .n_tokens = 2},
     ASSAY_EINVAL,
     "sample 1: found token -3, expected 0 to 100"},
    {{.sample = 1, .tokens = TOO_LARGE, .n_tokens = 2}, ASSAY_EINVAL, "sample 1: found token 2147483647"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .positions = POSITIONS, .n_axes = 2},
     ASSAY_EINVAL,
     "sample 1: positions: found 2 axes, expected 1 or 3"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .items = &IMAGE, .n_items = 1},
     ASSAY_EUNSUPPORTED,
     "sample 1: item 0: found an image, which the model does not take"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .items = &CLIP, .n_items = 1},
     ASSAY_EUNSUPPORTED,
     "sample 1: item 0: found an audio clip, which the model does not take"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .n_items = 1}, ASSAY_EINVAL, "items is NULL"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .n_outputs = 1}, ASSAY_EINVAL, "outputs is NULL"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = &HIDDEN, .n_outputs = 1},
     ASSAY_EUNSUPPORTED,
     "sample 1: output 'hidden' is not supported"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = &UNNAMED, .n_outputs = 1},
     ASSAY_EUNSUPPORTED,
     "sample 1: output '' is not supported"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = &NO_ROW, .n_outputs = 1},
     ASSAY_EINVAL,
     "sample 1: output 'logits': found n_last 0, expected 1 to 2"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = &MANY_ROWS, .n_outputs = 1},
     ASSAY_EINVAL,
     "found n_last 3, expected 1 to 2"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = &NOWHERE, .n_outputs = 1},
     ASSAY_EINVAL,
     "output 'logits': data is NULL"},
    {{.sample = 1, .tokens = TEXT, .n_tokens = 2, .outputs = TWICE, .n_outputs = 2},
     ASSAY_EINVAL,
     "sample 1: output 'logits' is repeated"},
};

/* The bad step is the second: the first is not evaluated either. */
START_TEST(a_bad_step_is_refused_by_name_and_no_sample_changes)
{
    engines_open(_i);
    char *logits = engines_blank(1), *blank = engines_blank(1);
    const assay_output output = {.name = "logits", .n_last = 1, .data = logits};
    assay_step steps[2] = {
        {.sample = 0, .tokens = TEXT + 2, .n_tokens = 2, .outputs = &output, .n_outputs = 1}};
    ck_assert_int_eq(engines_step(session, 0, TEXT, 2, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, OTHER, 2, 0, NULL), ASSAY_OK);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        steps[1] = BAD[i].step;
        ck_assert_int_eq(engine->step(session, steps, 2, NULL, NULL), BAD[i].status);
        ck_assert_int_eq(engine->step(session, steps, 2, NULL, &err), BAD[i].status);
        support_expect_error(&err, BAD[i].status, BAD[i].text, NULL);
        ck_assert_mem_eq(logits, blank, engines_row_bytes());
    }
    engines_expect_tokens(session, 0, TEXT, 2);
    engines_expect_tokens(session, 1, OTHER, 2);
    free(logits);
    free(blank);
    engines_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/step");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, logits_are_batch_invariant, 0, N_ENGINES);
    tcase_add_loop_test(all, chunks_of_any_size_give_the_logits_of_the_whole_prompt, 0, N_ENGINES);
    tcase_add_loop_test(all, the_division_into_steps_does_not_change_a_bit_of_later_logits, 0, N_ENGINES);
    tcase_add_loop_test(all, the_last_rows_equal_those_of_all_rows, 0, N_ENGINES);
    tcase_add_loop_test(all, a_resting_sample_goes_on_at_its_own_position, 0, N_ENGINES);
    tcase_add_loop_test(all, a_bad_step_is_refused_by_name_and_no_sample_changes, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
