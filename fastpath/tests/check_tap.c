/* Taps: which tensors a tap receives and with which shape, what overwriting and stopping do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "fastpath/tests/abi.h"

#include <stdlib.h>
#include <string.h>

/* Counts tensors. rows[i]: of the latest "embed" of sample i. Zeroes tensors of this name of sample
 * `overwritten`; stops at the tensor of this name of sample `stopped`. NULL: none. */
typedef struct tap_log {
    size_t n_tensors, n_embed, n_norm, rows[2];
    const char *zeroes, *stops_at;
    size_t overwritten, stopped;
    size_t n_after_stop;
    bool has_stopped;
} tap_log;

static bool log_tensor(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    tap_log *l = context;
    ck_assert_uint_lt(sample, 2);
    ck_assert(tensor->rank == 2 && tensor->dtype == ASSAY_F32 && tensor->data == data);
    l->n_tensors++;
    l->n_after_stop += l->has_stopped;
    l->n_embed += strcmp(tensor->name, "embed") == 0;
    l->n_norm += strcmp(tensor->name, "norm") == 0;
    if (strcmp(tensor->name, "embed") == 0) l->rows[sample] = tensor->shape[0];
    if (l->zeroes && sample == l->overwritten && strcmp(tensor->name, l->zeroes) == 0)
        memset(data, 0, tensor->shape[0] * tensor->shape[1] * sizeof(float));
    l->has_stopped = l->stops_at && sample == l->stopped && strcmp(tensor->name, l->stops_at) == 0;
    return !l->has_stopped;
}

static void set_tap(tap_log *l, const char *const *names, size_t n_names)
{
    const assay_tap tap = {
        .size = sizeof tap, .fn = log_tensor, .context = l, .names = names, .n_names = n_names};
    ck_assert_msg(engine->tap(session, &tap, &err) == ASSAY_OK, "%s", err.text);
}

static void remove_tap(void)
{
    ck_assert_int_eq(engine->tap(session, NULL, &err), ASSAY_OK);
}

/* Steps of samples 0 and 1 with n tokens of texts 0 and 1. logits: [2, n, vocab]. */
static assay_status step_both(size_t from, size_t n, float *logits)
{
    const assay_output outputs[] = {{"logits", n, logits}, {"logits", n, logits + n * vocab}};
    const assay_step steps[] = {
        {.sample = 0, .tokens = abi_text(0) + from, .n_tokens = n, .outputs = &outputs[0], .n_outputs = 1},
        {.sample = 1, .tokens = abi_text(1) + from, .n_tokens = n, .outputs = &outputs[1], .n_outputs = 1}};
    return engine->step(session, steps, 2, NULL, &err);
}

START_TEST(tensors_have_the_rows_of_the_step_in_prompts_and_in_decode)
{
    abi_open("qwen3/window", 2);
    float *whole[] = {abi_whole(0), abi_whole(1)}, *logits = abi_blank(40 * vocab);
    tap_log l = {0};
    set_tap(&l, NULL, 0);
    ck_assert_int_eq(step_both(0, 20, logits), ASSAY_OK);
    ck_assert(l.n_embed == 2 && l.n_norm == 2 && l.rows[0] == 20 && l.rows[1] == 20);
    for (size_t i = 0; i < 2; i++)
        ck_assert_mem_eq(logits + 20 * i * vocab, whole[i], 20 * vocab * sizeof *logits);
    const size_t n_prompt = l.n_tensors;
    ck_assert_int_eq(step_both(20, 1, logits), ASSAY_OK);
    ck_assert(l.n_tensors == 2 * n_prompt && l.rows[0] == 1 && l.rows[1] == 1);
    for (size_t i = 0; i < 2; i++)
        ck_assert_mem_eq(logits + i * vocab, whole[i] + 20 * vocab, vocab * sizeof *logits);
    remove_tap();
    ck_assert_int_eq(step_both(21, 1, logits), ASSAY_OK);
    ck_assert_uint_eq(l.n_tensors, 2 * n_prompt);
    for (size_t i = 0; i < 2; i++) free(whole[i]);
    free(logits);
    abi_close();
}
END_TEST

/* llama/dynamic changes its RoPE frequencies with the length; qwen3/window frees what is before its window.
 * Both evaluate earlier tokens again. */
START_TEST(tensors_have_no_rows_of_earlier_steps_that_are_evaluated_again)
{
    static const char *const MODELS[] = {"llama/dynamic", "qwen3/window"};
    abi_open(MODELS[_i], 1);
    float *logits = abi_blank(2 * vocab);
    tap_log l = {0};
    ck_assert_int_eq(abi_step(0, abi_text(0), ABI_LENGTH - 1, NULL, 0), ASSAY_OK);
    if (_i == 1) ck_assert_int_eq(engine->rewind(session, 0, 2, &err), ASSAY_OK);
    const size_t from = _i == 1 ? 2 : ABI_LENGTH - 1;
    set_tap(&l, NULL, 0);
    ck_assert_int_eq(abi_step(0, abi_text(0) + from, 1, logits, 1), ASSAY_OK);
    ck_assert(l.n_embed == 1 && l.n_norm == 1 && l.rows[0] == 1);
    remove_tap();
    engine->session_free(session);
    session = abi_open_session(1, 0, 0);
    ck_assert_int_eq(abi_step(0, abi_text(0), from + 1, logits + vocab, 1), ASSAY_OK);
    ck_assert_mem_eq(logits, logits + vocab, vocab * sizeof *logits);
    free(logits);
    abi_close();
}
END_TEST

START_TEST(only_tensors_with_a_listed_name_are_received)
{
    static const char *const NAMES[] = {"norm", "nothing", "layer.00.out"};
    abi_open("qwen3/window", 2);
    float *logits = abi_blank(2 * 20 * vocab);
    tap_log l = {0};
    set_tap(&l, NAMES, 3);
    ck_assert_int_eq(step_both(0, 20, logits), ASSAY_OK);
    ck_assert(l.n_tensors == 4 && l.n_embed == 0 && l.n_norm == 2);
    free(logits);
    abi_close();
}
END_TEST

START_TEST(overwriting_a_tensor_changes_its_sample_alone_in_prompts_and_in_decode)
{
    abi_open("qwen3/window", 2);
    float *whole = abi_whole(0), *logits = abi_blank(40 * vocab);
    tap_log l = {.zeroes = "norm", .overwritten = 1};
    set_tap(&l, NULL, 0);
    for (size_t from = 0, n = 20; from < 22; from += n, n = 1) {
        ck_assert_int_eq(step_both(from, n, logits), ASSAY_OK);
        ck_assert_mem_eq(logits, whole + from * vocab, n * vocab * sizeof *logits);
        for (size_t i = 0; i < n * vocab; i++) ck_assert(logits[n * vocab + i] == 0);
    }
    free(whole);
    free(logits);
    abi_close();
}
END_TEST

/* What was overwritten in an earlier layer stays in the cache. */
START_TEST(overwriting_a_decoded_tensor_changes_later_tokens)
{
    abi_open("qwen3/window", 1);
    float *whole = abi_whole(0), *logits = abi_blank(vocab);
    tap_log l = {.zeroes = "embed"};
    abi_expect(0, 0, 0, 20, whole);
    set_tap(&l, NULL, 0);
    ck_assert_int_eq(abi_step(0, abi_text(0) + 20, 1, logits, 1), ASSAY_OK);
    ck_assert_int_ne(memcmp(logits, whole + 20 * vocab, vocab * sizeof *logits), 0);
    remove_tap();
    ck_assert_int_eq(abi_step(0, abi_text(0) + 21, 1, logits, 1), ASSAY_OK);
    ck_assert_int_ne(memcmp(logits, whole + 21 * vocab, vocab * sizeof *logits), 0);
    free(whole);
    free(logits);
    abi_close();
}
END_TEST

START_TEST(a_stopped_step_changes_no_sample)
{
    static const char *const MODELS[] = {"qwen3/window", "gemma4/experts"};
    static const char *const AT[] = {"embed",        "layer.00.attn", "layer.00.mlp", "layer.00.experts",
                                     "layer.01.out", "norm"};
    abi_open(MODELS[_i], 2);
    float *whole[] = {abi_whole(0), abi_whole(1)}, *logits = abi_blank(100 * vocab);
    for (size_t i = 0; i < 2; i++) abi_expect(i, i, 0, 9, whole[i]);
    for (size_t k = 0; k < sizeof AT / sizeof *AT; k++) {
        if (_i == 0 && strcmp(AT[k], "layer.00.experts") == 0) continue;
        for (size_t stopped = 0; stopped < 2; stopped++) {
            tap_log l = {.stops_at = AT[k], .stopped = stopped};
            set_tap(&l, NULL, 0);
            ck_assert_int_eq(step_both(9, k % 2 ? 1 : 50, logits), ASSAY_ESTOPPED);
            support_expect_error(&err, ASSAY_ESTOPPED, "step: stopped by the tap", NULL);
            ck_assert_uint_eq(l.n_after_stop, 0);
            for (size_t i = 0; i < 2; i++) {
                ck_assert_int_eq(engine->rewind(session, i, 10, &err), ASSAY_EINVAL); /* it has 9 tokens */
                ck_assert_int_eq(engine->rewind(session, i, 9, &err), ASSAY_OK);
            }
            remove_tap();
        }
    }
    for (size_t i = 0; i < 2; i++) {
        abi_expect(i, i, 9, 11, whole[i]);
        free(whole[i]);
    }
    free(logits);
    abi_close();
}
END_TEST

START_TEST(a_refused_tap_leaves_the_earlier_one)
{
    static const char *const NAMES[] = {"norm"};
    abi_open("qwen3/window", 2);
    float *logits = abi_blank(2 * vocab);
    tap_log l = {0};
    set_tap(&l, NAMES, 1);
    const struct {
        assay_tap tap;
        uint64_t later;
    } longer = {{.size = sizeof longer, .fn = log_tensor}, 1};
    const assay_tap refused[] = {{.size = sizeof *refused, .fn = log_tensor, .n_names = 1},
                                 {.size = sizeof *refused, .fn = log_tensor, .reserved = 5}};
    ck_assert_int_eq(engine->tap(session, &refused[0], &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "tap: names is NULL", NULL);
    ck_assert_int_eq(engine->tap(session, &refused[1], &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "tap: reserved is 5", NULL);
    ck_assert_int_eq(engine->tap(session, &longer.tap, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "tap: the member at byte", NULL);
    ck_assert_int_eq(step_both(0, 1, logits), ASSAY_OK);
    ck_assert(l.n_tensors == 2 && l.n_norm == 2);
    free(logits);
    abi_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/tap");
    TCase *tc = tcase_create("tap");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, tensors_have_the_rows_of_the_step_in_prompts_and_in_decode);
    tcase_add_loop_test(tc, tensors_have_no_rows_of_earlier_steps_that_are_evaluated_again, 0, 2);
    tcase_add_test(tc, only_tensors_with_a_listed_name_are_received);
    tcase_add_test(tc, overwriting_a_tensor_changes_its_sample_alone_in_prompts_and_in_decode);
    tcase_add_test(tc, overwriting_a_decoded_tensor_changes_later_tokens);
    tcase_add_loop_test(tc, a_stopped_step_changes_no_sample, 0, 2);
    tcase_add_test(tc, a_refused_tap_leaves_the_earlier_one);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
