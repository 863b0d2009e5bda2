/* The taps of both reference engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "ref/tests/engines.h"

#include <stdlib.h>
#include <string.h>

/* What a tap has received, and what it does. */
typedef struct record {
    size_t n_calls, n_rows, sample; /* of the last call */
    size_t stops_after;             /* ends the step after this many calls; 0: never */
    bool reverses;                  /* reverses the rows of the embedding */
    char names[1024];               /* each followed by a space */
} record;

static void reverse_rows(char *rows, size_t n, size_t bytes)
{
    char swap[4096];
    ck_assert_uint_le(bytes, sizeof swap);
    for (size_t t = 0; t < n / 2; t++) {
        char *a = rows + t * bytes, *b = rows + (n - 1 - t) * bytes;
        memcpy(swap, a, bytes);
        memcpy(a, b, bytes);
        memcpy(b, swap, bytes);
    }
}

static bool receive(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    record *r = context;
    ck_assert_uint_eq(tensor->rank, 2);
    ck_assert_int_eq(tensor->dtype, engine->logits_dtype);
    ck_assert(tensor->data == data);
    r->n_calls++;
    r->n_rows = tensor->shape[0];
    r->sample = sample;
    if (strlen(r->names) + strlen(tensor->name) + 2 < sizeof r->names)
        strcat(strcat(r->names, tensor->name), " ");
    if (r->reverses && strcmp(tensor->name, "embed") == 0)
        reverse_rows(data, tensor->shape[0], tensor->shape[1] * (tensor->dtype == ASSAY_F64 ? 8 : 4));
    return r->n_calls != r->stops_after;
}

static void set_tap(record *r, const char *const *names, size_t n_names)
{
    const assay_tap tap = {
        .size = sizeof tap, .fn = receive, .context = r, .names = names, .n_names = n_names};
    ck_assert_int_eq(engine->tap(session, &tap, &err), ASSAY_OK);
}

#define LAYER(n) "layer.0" #n ".attn layer.0" #n ".mlp layer.0" #n ".out "

START_TEST(a_tap_receives_every_tensor_of_a_step_until_it_is_removed)
{
    engines_open(_i);
    record r = {0};
    set_tap(&r, NULL, 0);
    char *logits = engines_last(session, 1, TEXT, 4);
    ck_assert_str_eq(r.names, "embed " LAYER(0) LAYER(1) LAYER(2) "norm ");
    ck_assert_uint_eq(r.n_rows, 4);
    ck_assert_uint_eq(r.sample, 1);
    size_t before = r.n_calls;
    ck_assert_int_eq(engine->tap(session, NULL, &err), ASSAY_OK);
    free(logits);
    logits = engines_last(session, 1, TEXT, 1);
    ck_assert_uint_eq(r.n_calls, before);
    free(logits);
    engines_close();
}
END_TEST

START_TEST(a_tap_receives_a_step_without_outputs)
{
    engines_open(_i);
    record r = {0};
    set_tap(&r, NULL, 0);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 4, 0, NULL), ASSAY_OK);
    ck_assert_uint_eq(r.n_calls, 11);
    engines_close();
}
END_TEST

START_TEST(a_tap_receives_the_names_that_it_lists)
{
    static const char *const NAMES[] = {"norm", "layer.01.out", "layer.1"};
    engines_open(_i);
    record r = {0};
    set_tap(&r, NAMES, 3);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 4, 0, NULL), ASSAY_OK);
    ck_assert_str_eq(r.names, "layer.01.out norm ");
    engines_close();
}
END_TEST

START_TEST(a_tap_receives_the_rows_of_the_steps_own_tokens)
{
    engines_open(_i);
    record r = {0};
    ck_assert_int_eq(engines_step(session, 0, TEXT, 4, 0, NULL), ASSAY_OK);
    set_tap(&r, NULL, 0);
    ck_assert_int_eq(engines_step(session, 0, TEXT + 4, 1, 0, NULL), ASSAY_OK);
    ck_assert_uint_eq(r.n_rows, 1);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 3, 0, NULL), ASSAY_OK);
    ck_assert_uint_eq(r.n_rows, 3);
    engines_close();
}
END_TEST

/* The embedding of each step's tokens is that of the same tokens reversed, so the logits are as well. */
START_TEST(what_a_tap_writes_replaces_the_rows_of_the_step)
{
    static const int32_t REVERSED[N_TOKENS] = {6, 5, 4, 3, 2, 1}, END[] = {1, 2, 3, 6, 5, 4};
    engines_open(_i);
    record r = {.reverses = true};
    char *expected = engines_blank(N_TOKENS), *changed = engines_blank(N_TOKENS);
    ck_assert_int_eq(engines_step(session, 0, REVERSED, N_TOKENS, N_TOKENS, expected), ASSAY_OK);
    set_tap(&r, NULL, 0);
    ck_assert_int_eq(engines_step(session, 1, TEXT, N_TOKENS, N_TOKENS, changed), ASSAY_OK);
    ck_assert_mem_eq(changed, expected, N_TOKENS * engines_row_bytes());
    ck_assert_int_eq(engine->tap(session, NULL, &err), ASSAY_OK);
    for (size_t i = 0; i < N_SAMPLES; i++) ck_assert_int_eq(engine->rewind(session, i, 3, &err), ASSAY_OK);
    ck_assert_int_eq(engine->rewind(session, 0, 0, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, END, 3, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, END + 3, 3, 3, expected), ASSAY_OK);
    set_tap(&r, NULL, 0);
    ck_assert_int_eq(engines_step(session, 1, TEXT + 3, 3, 3, changed), ASSAY_OK);
    ck_assert_mem_eq(changed, expected, 3 * engines_row_bytes());
    free(changed);
    free(expected);
    engines_close();
}
END_TEST

/* In the first sample, and in the second, after the first was evaluated. */
START_TEST(a_tap_that_returns_false_stops_the_step_and_no_sample_changes)
{
    engines_open(_i);
    const assay_step steps[] = {{.sample = 0, .tokens = TEXT + 2, .n_tokens = 2},
                                {.sample = 1, .tokens = OTHER + 3, .n_tokens = 1}};
    ck_assert_int_eq(engines_step(session, 0, TEXT, 2, 0, NULL), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 1, OTHER, 3, 0, NULL), ASSAY_OK);
    for (size_t stop = 1; stop <= 22; stop++) {
        record r = {.stops_after = stop};
        set_tap(&r, NULL, 0);
        ck_assert_int_eq(engine->step(session, steps, 2, NULL, &err), ASSAY_ESTOPPED);
        support_expect_error(
            &err, ASSAY_ESTOPPED,
            stop <= 11 ? "step: sample 0: the tap stopped" : "step: sample 1: the tap stopped", NULL);
        ck_assert_uint_eq(r.n_calls, stop);
        ck_assert_int_eq(engine->tap(session, NULL, &err), ASSAY_OK);
        engines_expect_tokens(session, 0, TEXT, 2);
        engines_expect_tokens(session, 1, OTHER, 3);
    }
    engines_close();
}
END_TEST

/* Models with experts in place of and beside a feed-forward block, and with streams. */
START_TEST(a_tap_stops_a_step_at_any_tensor_of_any_model)
{
    static const char *const MODELS[] = {"qwen3_moe/base", "gemma4/experts", "gemma3n/ten-layers"};
    static const char *const HAS[] = {"layer.00.mlp", "layer.00.experts", "layer.09.out"};
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        engines_open_model(_i, MODELS[m]);
        record all = {0};
        set_tap(&all, NULL, 0);
        ck_assert_int_eq(engines_step(session, 0, TEXT, 3, 0, NULL), ASSAY_OK);
        ck_assert_ptr_nonnull(strstr(all.names, HAS[m]));
        for (size_t stop = 1; stop <= all.n_calls; stop++) {
            record r = {.stops_after = stop};
            set_tap(&r, NULL, 0);
            ck_assert_int_eq(engines_step(session, 0, TEXT, 3, 0, NULL), ASSAY_ESTOPPED);
            ck_assert_uint_eq(r.n_calls, stop);
        }
        engines_close();
    }
}
END_TEST

START_TEST(a_tap_that_is_refused_leaves_the_one_before)
{
    engines_open(_i);
    record r = {0};
    set_tap(&r, NULL, 0);
    const assay_tap bad = {.size = sizeof bad, .fn = receive, .context = &r, .n_names = 2};
    ck_assert_int_eq(engine->tap(session, &bad, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "names is NULL, expected 2 names", NULL);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 4, 0, NULL), ASSAY_OK);
    ck_assert_uint_eq(r.n_calls, 11);
    const assay_tap none = {.size = sizeof none};
    ck_assert_int_eq(engine->tap(session, &none, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(session, 0, TEXT, 1, 0, NULL), ASSAY_OK);
    ck_assert_uint_eq(r.n_calls, 11);
    engines_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/tap");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_tap_receives_every_tensor_of_a_step_until_it_is_removed, 0, N_ENGINES);
    tcase_add_loop_test(all, a_tap_receives_a_step_without_outputs, 0, N_ENGINES);
    tcase_add_loop_test(all, a_tap_receives_the_names_that_it_lists, 0, N_ENGINES);
    tcase_add_loop_test(all, a_tap_receives_the_rows_of_the_steps_own_tokens, 0, N_ENGINES);
    tcase_add_loop_test(all, what_a_tap_writes_replaces_the_rows_of_the_step, 0, N_ENGINES);
    tcase_add_loop_test(all, a_tap_that_returns_false_stops_the_step_and_no_sample_changes, 0, N_ENGINES);
    tcase_add_loop_test(all, a_tap_stops_a_step_at_any_tensor_of_any_model, 0, N_ENGINES);
    tcase_add_loop_test(all, a_tap_that_is_refused_leaves_the_one_before, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
