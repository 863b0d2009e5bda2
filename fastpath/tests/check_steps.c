/* Steps of the engine ABI: logits do not depend on the division of a text into steps, on other samples, or on
 * what was undone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "fastpath/tests/abi.h"

#include <stdlib.h>
#include <string.h>

/* Layers with a window; layers that share caches. */
static const char *const MODELS[] = {"qwen3/window", "gemma4/shared-kv"};
enum { N_MODELS = sizeof MODELS / sizeof *MODELS };

START_TEST(chunks_of_1_of_3_and_the_whole_text_give_the_same_bits)
{
    static const size_t CHUNKS[] = {1, 3, ABI_LENGTH};
    abi_open(MODELS[_i], 3);
    float *whole = abi_whole(0);
    for (size_t k = 0; k < 3; k++)
        for (size_t at = 0; at < ABI_LENGTH; at += CHUNKS[k])
            abi_expect(k, 0, at, at + CHUNKS[k] < ABI_LENGTH ? at + CHUNKS[k] : ABI_LENGTH, whole);
    free(whole);
    abi_close();
}
END_TEST

/* A prompt of one sample and a token of another in one step, for any padding. */
START_TEST(padding_and_other_samples_of_a_step_change_no_bits)
{
    static const size_t WIDTHS[] = {0, 20, 31};
    abi_open(MODELS[_i], 1);
    float *whole[] = {abi_whole(0), abi_whole(1)}, *logits = abi_blank(21 * vocab);
    for (size_t k = 0; k < 3; k++) {
        engine->session_free(session);
        session = abi_open_session(2, 0, 0);
        abi_expect(1, 1, 0, 7, whole[1]);
        const assay_output outputs[] = {{"logits", 20, logits}, {"logits", 1, logits + 20 * vocab}};
        const assay_step steps[] = {
            {.sample = 0, .tokens = abi_text(0), .n_tokens = 20, .outputs = &outputs[0], .n_outputs = 1},
            {.sample = 1, .tokens = abi_text(1) + 7, .n_tokens = 1, .outputs = &outputs[1], .n_outputs = 1}};
        const assay_step_options options = {.size = sizeof options, .padded_width = WIDTHS[k]};
        ck_assert_int_eq(engine->step(session, steps, 2, &options, &err), ASSAY_OK);
        ck_assert_mem_eq(logits, whole[0], 20 * vocab * sizeof *logits);
        ck_assert_mem_eq(logits + 20 * vocab, whole[1] + 7 * vocab, vocab * sizeof *logits);
    }
    free(whole[0]);
    free(whole[1]);
    free(logits);
    abi_close();
}
END_TEST

START_TEST(a_resting_sample_goes_on_at_its_own_position)
{
    abi_open(MODELS[_i], 2);
    float *whole[] = {abi_whole(0), abi_whole(1)};
    abi_expect(0, 0, 0, 9, whole[0]);
    abi_expect(1, 1, 0, 40, whole[1]);
    abi_expect(1, 1, 40, 41, whole[1]);
    ck_assert_int_eq(engine->step(session, NULL, 0, NULL, &err), ASSAY_OK); /* all rest */
    abi_expect(0, 0, 9, 10, whole[0]);
    free(whole[0]);
    free(whole[1]);
    abi_close();
}
END_TEST

START_TEST(a_sample_that_joins_takes_the_number_of_one_that_left_and_none_of_its_tokens)
{
    abi_open(MODELS[_i], 2);
    float *whole[] = {abi_whole(0), abi_whole(1)};
    size_t sample;
    abi_expect(0, 0, 0, 30, whole[0]);
    abi_expect(1, 1, 0, 5, whole[1]);
    ck_assert_int_eq(engine->leave(session, 0, &err), ASSAY_OK);
    ck_assert_int_eq(abi_step(0, abi_text(0), 1, NULL, 0), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "sample 0", "no sample", NULL);
    ck_assert_int_eq(engine->join(session, &sample, &err), ASSAY_OK);
    ck_assert_uint_eq(sample, 0);
    abi_expect(0, 1, 0, 4, whole[1]);
    ck_assert_int_eq(engine->join(session, &sample, &err), ASSAY_OK);
    ck_assert_uint_eq(sample, 2);
    abi_expect(2, 0, 0, 4, whole[0]);
    abi_expect(1, 1, 5, 6, whole[1]);
    free(whole[0]);
    free(whole[1]);
    abi_close();
}
END_TEST

START_TEST(a_rewound_sample_goes_on_like_one_that_was_never_longer)
{
    abi_open(MODELS[_i], 1);
    float *whole[] = {abi_whole(0), abi_whole(1)};
    abi_expect(0, 0, 0, ABI_LENGTH, whole[0]);
    for (size_t n = ABI_LENGTH - 1; n > 0; n /= 2) {
        ck_assert_int_eq(engine->rewind(session, 0, n, &err), ASSAY_OK);
        abi_expect(0, 0, n, n + 1, whole[0]);
    }
    ck_assert_int_eq(engine->rewind(session, 0, 3, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "rewind: sample 0: found length 3, expected at most 2", NULL);
    ck_assert_int_eq(engine->rewind(session, 0, 0, &err), ASSAY_OK);
    abi_expect(0, 1, 0, 20, whole[1]);
    free(whole[0]);
    free(whole[1]);
    abi_close();
}
END_TEST

START_TEST(a_fork_and_its_origin_go_on_independently_in_one_session_and_in_two)
{
    abi_open(MODELS[_i], 1);
    float *whole = abi_whole(0);
    assay_session *own = session, *other = abi_open_session(2, 0, 0);
    size_t near = 77, far = 77;
    abi_expect(0, 0, 0, 30, whole);
    ck_assert_int_eq(engine->fork(session, 0, session, &near, &err), ASSAY_OK);
    ck_assert_int_eq(engine->fork(session, 0, other, &far, &err), ASSAY_OK);
    ck_assert(near == 1 && far == 2);
    ck_assert_int_eq(abi_step(near, abi_text(3), 5, NULL, 0), ASSAY_OK);
    ck_assert_int_eq(engine->rewind(session, near, 30, &err), ASSAY_OK);
    abi_expect(0, 0, 30, 40, whole);
    abi_expect(near, 0, 30, 33, whole);
    ck_assert_int_eq(engine->leave(session, 0, &err), ASSAY_OK);
    session = other;
    abi_expect(far, 0, 30, 32, whole);
    session = own;
    ck_assert_int_eq(engine->fork(session, 0, other, &far, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "sample 0", NULL);
    ck_assert_uint_eq(far, 2);
    engine->session_free(other);
    other = abi_open_session(0, 8, 0);
    ck_assert_int_eq(engine->fork(session, near, other, &far, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "other limits", NULL);
    engine->session_free(other);
    free(whole);
    abi_close();
}
END_TEST

START_TEST(the_last_rows_are_the_last_of_all_rows_and_nothing_else_is_written)
{
    abi_open(MODELS[_i], 3);
    float *whole = abi_whole(0), *logits = abi_blank(12 * vocab), *blank = abi_blank(vocab);
    ck_assert_int_eq(abi_step(0, abi_text(0), 30, logits, 11), ASSAY_OK);
    ck_assert_mem_eq(logits, whole + 19 * vocab, 11 * vocab * sizeof *logits);
    ck_assert_mem_eq(logits + 11 * vocab, blank, vocab * sizeof *logits);
    ck_assert_int_eq(abi_step(1, abi_text(0), 30, logits, 1), ASSAY_OK);
    ck_assert_mem_eq(logits, whole + 29 * vocab, vocab * sizeof *logits);
    ck_assert_int_eq(abi_step(2, abi_text(0), 30, NULL, 0), ASSAY_OK);
    for (size_t i = 0; i < 3; i++) abi_expect(i, 0, 30, 31, whole);
    free(whole);
    free(logits);
    free(blank);
    abi_close();
}
END_TEST

/* One refused step, beside a step of sample 0 that is in order. */
typedef struct refusal {
    assay_step step;
    size_t padded_width;
    assay_status status;
    const char *says;
} refusal;

static const int32_t BAD[] = {1, 2, 100000}, NEGATIVE[] = {-1}, GOOD[] = {1, 2, 3};
static float row[1];
static const assay_item image = {.kind = ASSAY_ITEM_IMAGE};
static const assay_output unknown = {"hidden", 1, row}, nameless = {NULL, 1, row}, none = {"logits", 0, row},
                          many = {"logits", 4, row}, nowhere = {"logits", 1, NULL};
static const assay_output twice[] = {{"logits", 1, row}, {"logits", 1, row}};
static const refusal REFUSED[] = {
    {{.sample = 1, .tokens = BAD, .n_tokens = 3}, 0, ASSAY_EINVAL, "sample 1: found token 100000"},
    {{.sample = 1, .tokens = NEGATIVE, .n_tokens = 1}, 0, ASSAY_EINVAL, "found token -1"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 0}, 0, ASSAY_EINVAL, "sample 1: found 0 tokens"},
    {{.sample = 1, .tokens = NULL, .n_tokens = 1}, 0, ASSAY_EINVAL, "no array of tokens"},
    {{.sample = 2, .tokens = GOOD, .n_tokens = 1}, 0, ASSAY_EINVAL, "sample 2: the session has no sample"},
    {{.sample = SIZE_MAX, .tokens = GOOD, .n_tokens = 1}, 0, ASSAY_EINVAL, "no sample"},
    {{.sample = 0, .tokens = GOOD, .n_tokens = 1}, 0, ASSAY_EINVAL, "sample 0: found twice"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3}, 2, ASSAY_EINVAL, "3 tokens, padded_width is 2"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .items = &image, .n_items = 1},
     0,
     ASSAY_EUNSUPPORTED,
     "sample 1: item 0: found an image"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .positions = GOOD, .n_axes = 2},
     0,
     ASSAY_EINVAL,
     "sample 1: positions: found 2 axes"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .outputs = &unknown, .n_outputs = 1},
     0,
     ASSAY_EUNSUPPORTED,
     "sample 1: found output 'hidden', expected logits"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .outputs = &nameless, .n_outputs = 1},
     0,
     ASSAY_EINVAL,
     "found output ''"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .outputs = &none, .n_outputs = 1},
     0,
     ASSAY_EINVAL,
     "found n_last 0, expected 1 to 3"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .outputs = &many, .n_outputs = 1},
     0,
     ASSAY_EINVAL,
     "found n_last 4, expected 1 to 3"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .outputs = &nowhere, .n_outputs = 1},
     0,
     ASSAY_EINVAL,
     "data is NULL"},
    {{.sample = 1, .tokens = GOOD, .n_tokens = 3, .outputs = twice, .n_outputs = 2},
     0,
     ASSAY_EINVAL,
     "'logits' twice"},
};

START_TEST(a_refused_step_is_named_and_changes_no_sample)
{
    abi_open(MODELS[0], 2);
    float *whole = abi_whole(0), *logits = abi_blank(vocab), *blank = abi_blank(vocab);
    const assay_output output = {"logits", 1, logits};
    abi_expect(0, 0, 0, 9, whole);
    abi_expect(1, 0, 0, 4, whole);
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        const assay_step steps[] = {
            {.sample = 0, .tokens = abi_text(0) + 9, .n_tokens = 1, .outputs = &output, .n_outputs = 1},
            REFUSED[i].step};
        const assay_step_options options = {.size = sizeof options, .padded_width = REFUSED[i].padded_width};
        ck_assert_int_eq(engine->step(session, steps, 2, &options, &err), REFUSED[i].status);
        support_expect_error(&err, REFUSED[i].status, "step: ", REFUSED[i].says, NULL);
        ck_assert_mem_eq(logits, blank, vocab * sizeof *logits);
    }
    abi_expect(0, 0, 9, 10, whole);
    abi_expect(1, 0, 4, 5, whole);
    free(whole);
    free(logits);
    free(blank);
    abi_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/steps");
    TCase *tc = tcase_create("steps");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, chunks_of_1_of_3_and_the_whole_text_give_the_same_bits, 0, N_MODELS);
    tcase_add_loop_test(tc, padding_and_other_samples_of_a_step_change_no_bits, 0, N_MODELS);
    tcase_add_loop_test(tc, a_resting_sample_goes_on_at_its_own_position, 0, N_MODELS);
    tcase_add_loop_test(tc, a_sample_that_joins_takes_the_number_of_one_that_left_and_none_of_its_tokens, 0,
                        N_MODELS);
    tcase_add_loop_test(tc, a_rewound_sample_goes_on_like_one_that_was_never_longer, 0, N_MODELS);
    tcase_add_loop_test(tc, a_fork_and_its_origin_go_on_independently_in_one_session_and_in_two, 0, N_MODELS);
    tcase_add_loop_test(tc, the_last_rows_are_the_last_of_all_rows_and_nothing_else_is_written, 0, N_MODELS);
    tcase_add_test(tc, a_refused_step_is_named_and_changes_no_sample);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
