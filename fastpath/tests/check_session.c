/* Samples that join, rest, fork, are rewound and leave: none of it changes a bit of any of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/session.h"

/* A window, positions that scale with the length (the crossing lies within the text), shared caches, experts.
 */
static const char *const MODELS[] = {"qwen3/window", "llama/dynamic", "phi3/longrope", "gemma4/shared-kv",
                                     "gemma4/experts"};

enum { N_MODELS = sizeof MODELS / sizeof *MODELS, LENGTH = 75 };

static fp_model *model;
static fp_session *session;
static size_t vocab;
static assay_error err;

static void open_all(const char *name)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", name);
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    vocab = model->plan->vocab;
}

static void close_all(void)
{
    fp_session_free(session);
    fp_model_free(model);
}

/* Text number `text` of any length. */
static const int32_t *text_of(size_t text)
{
    static int32_t tokens[4][LENGTH];
    for (size_t t = 0; t < LENGTH; t++)
        tokens[text][t] = (int32_t)((text * 37 + t * t * 5 + t * 11 + 1) % 90);
    return tokens[text];
}

static size_t join(void)
{
    size_t slot;
    ck_assert_int_eq(fp_session_join(session, &slot, &err), ASSAY_OK);
    return slot;
}

/* Takes n tokens and gives the last logits, which live until the next call. */
static const float *take(size_t slot, const int32_t *tokens, size_t n)
{
    static float *logits;
    float *grown = realloc(logits, vocab * sizeof *logits);
    ck_assert_ptr_nonnull(grown);
    logits = grown;
    memset(logits, 0xff, vocab * sizeof *logits);
    fp_step step = {.slot = slot, .tokens = tokens, .n_tokens = n, .logits = logits, .n_logits = 1};
    ck_assert_msg(fp_session_step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    return logits;
}

/* The last logits of a text's first n tokens, by a sample of its own; to be freed. */
static float *fresh(size_t text, size_t n)
{
    size_t slot = join();
    float *copy = malloc(vocab * sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, take(slot, text_of(text), n), vocab * sizeof *copy);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    return copy;
}

static void expect_fresh(const float *logits, size_t text, size_t n)
{
    float *expected = fresh(text, n), *given = malloc(vocab * sizeof *given);
    ck_assert_ptr_nonnull(given);
    memcpy(given, logits, vocab * sizeof *given);
    ck_assert_mem_eq(given, expected, vocab * sizeof *expected);
    free(given);
    free(expected);
}

/* Like take, but compares with a fresh sample of the same text up to `end`. */
static void take_and_compare(size_t slot, size_t text, size_t from, size_t end)
{
    float *expected = fresh(text, end);
    ck_assert_mem_eq(take(slot, text_of(text) + from, end - from), expected, vocab * sizeof *expected);
    free(expected);
}

START_TEST(steps_of_any_size_end_where_one_step_does)
{
    static const size_t SIZES[] = {1, 7, 64};
    open_all(MODELS[_i]);
    for (size_t k = 0; k < 3; k++) {
        size_t slot = join();
        for (size_t at = 0; at < LENGTH;) {
            size_t n = LENGTH - at < SIZES[k] ? LENGTH - at : SIZES[k];
            take_and_compare(slot, 0, at, at + n);
            at += n;
        }
        ck_assert_uint_eq(fp_session_length(session, slot), LENGTH);
        ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    }
    close_all();
}
END_TEST

START_TEST(samples_join_rest_and_leave_while_others_go_on)
{
    open_all(MODELS[_i]);
    float *logits = malloc(3 * vocab * sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    size_t a = join(), b = join();
    fp_step steps[] = {{a, text_of(0), 20, logits, 1}, {b, text_of(1), 5, logits + vocab, 1}, {0}};
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_OK);
    expect_fresh(logits, 0, 20);
    expect_fresh(logits + vocab, 1, 5);
    size_t c = join();
    steps[1] = (fp_step){c, text_of(2), 30, logits + vocab, 1};
    steps[0] = (fp_step){a, text_of(0) + 20, 1, logits, 1};
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_OK); /* b rests */
    expect_fresh(logits, 0, 21);
    expect_fresh(logits + vocab, 2, 30);
    ck_assert_int_eq(fp_session_leave(session, a, &err), ASSAY_OK);
    ck_assert_uint_eq(join(), a); /* the slot is given again, with nothing in it */
    steps[0] = (fp_step){a, text_of(3), 3, logits, 1};
    steps[1] = (fp_step){b, text_of(1) + 5, 2, logits + vocab, 1};
    steps[2] = (fp_step){c, text_of(2) + 30, 1, logits + 2 * vocab, 1};
    ck_assert_int_eq(fp_session_step(session, steps, 3, NULL, &err), ASSAY_OK);
    expect_fresh(logits, 3, 3);
    expect_fresh(logits + vocab, 1, 7);
    expect_fresh(logits + 2 * vocab, 2, 31);
    free(logits);
    close_all();
}
END_TEST

START_TEST(a_fork_goes_its_own_way)
{
    open_all(MODELS[_i]);
    int32_t other[LENGTH];
    memcpy(other, text_of(0), sizeof other);
    size_t a = join(), b, fork_of_fork;
    (void)take(a, text_of(0), 12);
    ck_assert_int_eq(fp_session_fork(session, a, session, &b, &err), ASSAY_OK);
    ck_assert_uint_eq(fp_session_length(session, b), 12);
    other[12] = 5;
    other[13] = 6;
    (void)take(b, other + 12, 2);
    take_and_compare(a, 0, 12, 70);
    ck_assert_int_eq(fp_session_fork(session, b, session, &fork_of_fork, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_leave(session, a, &err), ASSAY_OK);
    other[14] = 7;
    float *copy = malloc(vocab * sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, take(b, other + 14, 1), vocab * sizeof *copy);
    ck_assert_mem_eq(take(fork_of_fork, other + 14, 1), copy, vocab * sizeof *copy);
    ck_assert_mem_eq(take(join(), other, 15), copy, vocab * sizeof *copy);
    free(copy);
    close_all();
}
END_TEST

START_TEST(a_rewound_sample_goes_on_as_if_nothing_had_followed)
{
    open_all(MODELS[_i]);
    size_t slot = join();
    (void)take(slot, text_of(1), LENGTH);
    for (size_t kept = LENGTH - 1; kept > 0; kept /= 2) { /* beyond windows and crossings, too */
        ck_assert_int_eq(fp_session_rewind(session, slot, kept, &err), ASSAY_OK);
        take_and_compare(slot, 1, kept, kept + 1);
    }
    ck_assert_int_eq(fp_session_rewind(session, slot, 0, &err), ASSAY_OK);
    take_and_compare(slot, 2, 0, 20);
    close_all();
}
END_TEST

START_TEST(logits_come_for_the_last_rows_alone)
{
    open_all("qwen3/window");
    float *all = malloc(30 * vocab * sizeof *all), *some = malloc(11 * vocab * sizeof *some);
    ck_assert(all && some);
    fp_session_chunk(session, 4);
    fp_step step = {.slot = join(), .tokens = text_of(0), .n_tokens = 30, .logits = all, .n_logits = 30};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
    step = (fp_step){.slot = join(), .tokens = text_of(0), .n_tokens = 30, .logits = some, .n_logits = 11};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
    ck_assert_mem_eq(some, all + 19 * vocab, 11 * vocab * sizeof *some);
    step = (fp_step){.slot = join(), .tokens = text_of(0), .n_tokens = 30};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
    take_and_compare(step.slot, 0, 30, 31);
    free(all);
    free(some);
    close_all();
}
END_TEST

/* The linker sends the engine's requests for memory here; the one that comes after n_granted more fails. */
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

static size_t n_granted = SIZE_MAX;

static bool is_granted(void)
{
    return n_granted == SIZE_MAX || (n_granted > 0 && n_granted-- > 0);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_granted() ? __real_aligned_alloc(alignment, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_granted() ? __real_realloc(old, size) : NULL;
}

/* Each request for memory fails in turn, in a session whose buffers are all new. */
START_TEST(memory_that_cannot_be_had_harms_nobody)
{
    open_all(MODELS[_i]);
    assay_status rc = ASSAY_ENOMEM;
    for (size_t n = 0; rc != ASSAY_OK; n++) {
        fp_session_free(session);
        ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
        size_t a = join(), b = join(), rests = join();
        (void)take(a, text_of(0), 2);
        (void)take(rests, text_of(2), 5);
        const fp_step steps[] = {{.slot = a, .tokens = text_of(0) + 2, .n_tokens = 66},
                                 {.slot = b, .tokens = text_of(1), .n_tokens = 5}};
        n_granted = n;
        rc = fp_session_step(session, steps, 2, NULL, &err);
        n_granted = SIZE_MAX;
        ck_assert_int_eq(rc, rc == ASSAY_OK ? ASSAY_OK : ASSAY_ENOMEM);
        ck_assert_uint_eq(fp_session_length(session, a), rc == ASSAY_OK ? 68 : 2);
        ck_assert_uint_eq(fp_session_length(session, b), rc == ASSAY_OK ? 5 : 0);
        if (rc != ASSAY_OK && n % 5) continue; /* the costly part, now and then */
        take_and_compare(a, 0, fp_session_length(session, a), 70);
        take_and_compare(b, 1, fp_session_length(session, b), 7);
        take_and_compare(rests, 2, 5, 6);
    }
    close_all();
}
END_TEST

START_TEST(a_refused_step_harms_nobody)
{
    open_all("gemma4/shared-kv");
    size_t a = join(), b = join();
    const int32_t bad[] = {1, 2, 100000}, negative[] = {-1};
    (void)take(a, text_of(0), 9);
    (void)take(b, text_of(1), 9);
    const fp_step refused[][2] = {
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1}, {.slot = b, .tokens = bad, .n_tokens = 3}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = negative, .n_tokens = 1}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1}, {.slot = b, .tokens = bad, .n_tokens = 0}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1}, {.slot = a, .tokens = bad, .n_tokens = 1}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1}, {.slot = 77, .tokens = bad, .n_tokens = 1}},
    };
    static const char *const SAYS[] = {"token 100000", "token -1", "0 tokens", "twice", "no sample"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert_int_eq(fp_session_step(session, refused[i], 2, NULL, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, SAYS[i], NULL);
        ck_assert_uint_eq(fp_session_length(session, a), 9);
        ck_assert_uint_eq(fp_session_length(session, b), 9);
    }
    take_and_compare(a, 0, 9, 10);
    take_and_compare(b, 1, 9, 10);
    close_all();
}
END_TEST

START_TEST(a_slot_that_nobody_has_is_refused)
{
    open_all("qwen3/base");
    size_t forked;
    ck_assert_int_eq(fp_session_leave(session, 0, &err), ASSAY_EINVAL);
    ck_assert_int_eq(fp_session_fork(session, 0, session, &forked, &err), ASSAY_EINVAL);
    ck_assert_int_eq(fp_session_rewind(session, 0, 0, &err), ASSAY_EINVAL);
    size_t slot = join();
    ck_assert_int_eq(fp_session_rewind(session, slot, 1, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found length 1, expected at most 0", NULL);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_EINVAL);
    ck_assert_uint_eq(fp_session_length(session, slot), 0);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/session");
    TCase *tc = tcase_create("session");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, steps_of_any_size_end_where_one_step_does, 0, N_MODELS);
    tcase_add_loop_test(tc, samples_join_rest_and_leave_while_others_go_on, 0, N_MODELS);
    tcase_add_loop_test(tc, a_fork_goes_its_own_way, 0, N_MODELS);
    tcase_add_loop_test(tc, a_rewound_sample_goes_on_as_if_nothing_had_followed, 0, N_MODELS);
    tcase_add_test(tc, logits_come_for_the_last_rows_alone);
    tcase_add_loop_test(tc, memory_that_cannot_be_had_harms_nobody, 0, N_MODELS);
    tcase_add_test(tc, a_refused_step_harms_nobody);
    tcase_add_test(tc, a_slot_that_nobody_has_is_refused);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
