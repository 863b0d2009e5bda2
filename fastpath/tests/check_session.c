/* Samples that join, rest, fork, are rewound and leave: none of it changes a bit of any of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
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
static assay_dtype compute; /* none: as the engine likes */

static void open_all(const char *name)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0, .compute = compute};
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

START_TEST(a_fork_diverges_from_its_origin)
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

START_TEST(a_rewound_sample_continues_as_if_nothing_had_followed)
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

static fp_session *another(const fp_model *of)
{
    fp_session *s;
    ck_assert_int_eq(fp_session_open(of, &s, &err), ASSAY_OK);
    return s;
}

START_TEST(a_fork_lives_on_in_another_session)
{
    open_all(MODELS[_i]);
    fp_session *own = session, *other = another(model);
    size_t a = join(), forked;
    (void)take(a, text_of(0), 68);
    ck_assert_int_eq(fp_session_fork(own, a, other, &forked, &err), ASSAY_OK);
    session = other;
    ck_assert_int_eq(fp_session_rewind(other, forked, 10, &err), ASSAY_OK); /* over a crossing */
    take_and_compare(forked, 0, 10, 12);
    take_and_compare(forked, 0, 12, 70);
    session = own;
    take_and_compare(a, 0, 68, 69);
    ck_assert_int_eq(fp_session_rewind(own, a, 30, &err), ASSAY_OK);
    take_and_compare(a, 0, 30, 31);
    fp_session_free(own);
    session = other;
    take_and_compare(forked, 0, 70, LENGTH);
    close_all();
}
END_TEST

/* One of two threads: its own session, in it a fork of the sample that both go on from. */
typedef struct thread_part {
    fp_session *session;
    size_t slot;
    int32_t tokens[LENGTH];
    float *logits; /* [vocab] */
    bool failed;
} thread_part;

enum { N_SHARED = 66, N_ALL = 72 };

static void *go_on(void *context)
{
    thread_part *part = context;
    for (size_t t = N_SHARED; t < N_ALL; t++) {
        size_t forked = 0;
        assay_error own = {0};
        fp_step step = {
            .slot = part->slot, .tokens = part->tokens + t, .n_tokens = 1, .logits = part->logits};
        step.n_logits = 1;
        part->failed |= fp_session_fork(part->session, part->slot, part->session, &forked, &own) != ASSAY_OK;
        part->failed |= fp_session_step(part->session, &step, 1, NULL, &own) != ASSAY_OK;
        step.slot = forked;
        part->failed |= fp_session_step(part->session, &step, 1, NULL, &own) != ASSAY_OK;
        part->failed |= fp_session_leave(part->session, forked, &own) != ASSAY_OK;
    }
    return NULL;
}

START_TEST(forks_go_on_in_threads_of_their_own)
{
    open_all(MODELS[_i]);
    thread_part part[2] = {0};
    pthread_t thread[2];
    size_t origin = join();
    (void)take(origin, text_of(0), N_SHARED);
    for (size_t i = 0; i < 2; i++) {
        part[i].session = another(model);
        memcpy(part[i].tokens, text_of(0), sizeof part[i].tokens);
        part[i].tokens[N_SHARED] = (int32_t)i;
        part[i].logits = malloc(vocab * sizeof(float));
        ck_assert_ptr_nonnull(part[i].logits);
        ck_assert_int_eq(fp_session_fork(session, origin, part[i].session, &part[i].slot, &err), ASSAY_OK);
    }
    for (size_t i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, go_on, &part[i]), 0);
    take_and_compare(origin, 0, N_SHARED, N_ALL); /* a third thread */
    for (size_t i = 0; i < 2; i++) ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        ck_assert(!part[i].failed);
        ck_assert_mem_eq(take(join(), part[i].tokens, N_ALL), part[i].logits, vocab * sizeof(float));
        fp_session_free(part[i].session);
        free(part[i].logits);
    }
    close_all();
}
END_TEST

START_TEST(a_fork_into_a_session_of_another_model_is_refused)
{
    open_all("llama/base");
    fp_model *first = model;
    fp_session *own = session;
    open_all("qwen3/base");
    size_t slot = join(), forked = 77;
    (void)take(slot, text_of(0), 3);
    ck_assert_int_eq(fp_session_fork(session, slot, own, &forked, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "another model", "llama/base", "qwen3/base", NULL);
    ck_assert_uint_eq(forked, 77);
    take_and_compare(slot, 0, 3, 4);
    size_t fresh_slot;
    ck_assert_int_eq(fp_session_join(own, &fresh_slot, &err), ASSAY_OK);
    ck_assert_uint_eq(fresh_slot, 0); /* nothing was left there */
    fp_session_free(own);
    fp_model_free(first);
    close_all();
}
END_TEST

/* Into what is kept, into what is still held, and to where the sample is evaluated again; a fork goes on. */
START_TEST(with_a_limit_a_rewound_or_forked_sample_continues_like_a_new_one)
{
    static const size_t BACK[] = {74, 73, 60, 20, 12, 11, 4, 3, 1, 0};
    open_all(MODELS[_i]);
    ck_assert_int_eq(fp_session_limit(session, 11, 4, &err), ASSAY_OK);
    size_t slot = join(), forked;
    take_and_compare(slot, 0, 0, LENGTH - 1);
    for (size_t i = 0; i < sizeof BACK / sizeof *BACK; i++) {
        ck_assert_int_eq(fp_session_rewind(session, slot, BACK[i], &err), ASSAY_OK);
        ck_assert_int_eq(fp_session_fork(session, slot, session, &forked, &err), ASSAY_OK);
        take_and_compare(slot, 0, BACK[i], LENGTH);
        take_and_compare(forked, 0, BACK[i], BACK[i] + 1);
        ck_assert_int_eq(fp_session_leave(session, forked, &err), ASSAY_OK);
    }
    close_all();
}
END_TEST

START_TEST(a_sample_may_be_longer_than_the_config_foresees)
{
    open_all("phi3/partial-old");
    ck_assert_uint_lt(model->plan->max_positions, LENGTH);
    size_t slot = join();
    take_and_compare(slot, 0, 0, model->plan->max_positions);
    take_and_compare(slot, 0, model->plan->max_positions, LENGTH);
    close_all();
}
END_TEST

START_TEST(a_refused_step_changes_no_sample)
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
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = bad, .n_tokens = (size_t)INT32_MAX - 8}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1},
         {.slot = b, .tokens = bad, .n_tokens = SIZE_MAX}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1}, {.slot = a, .tokens = bad, .n_tokens = 1}},
        {{.slot = a, .tokens = text_of(0) + 9, .n_tokens = 1}, {.slot = 77, .tokens = bad, .n_tokens = 1}},
    };
    static const char *const SAYS[] = {"token 100000",
                                       "token -1",
                                       "0 tokens",
                                       "2147483639 tokens, expected 1 to 2147483638",
                                       "tokens, expected 1 to 2147483638",
                                       "twice",
                                       "no sample"};
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

START_TEST(an_unused_slot_is_refused)
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

/* Rows that go through pages together, against one after the other. */
START_TEST(pages_are_float_or_bfloat16_and_batch_invariant)
{
    static const assay_dtype TYPES[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    compute = TYPES[_i];
    open_all("qwen3/window");
    ck_assert(model->caches[0].narrow == (compute == ASSAY_F32 ? NULL : model->kernels.narrow_bf16));
    float *expected = fresh(0, LENGTH);
    size_t slot = join();
    for (size_t t = 0; t + 1 < LENGTH; t++) (void)take(slot, text_of(0) + t, 1);
    ck_assert_mem_eq(take(slot, text_of(0) + LENGTH - 1, 1), expected, vocab * sizeof *expected);
    free(expected);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/session");
    TCase *tc = tcase_create("session");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, steps_of_any_size_end_where_one_step_does, 0, N_MODELS);
    tcase_add_loop_test(tc, with_a_limit_a_rewound_or_forked_sample_continues_like_a_new_one, 0, N_MODELS);
    tcase_add_loop_test(tc, samples_join_rest_and_leave_while_others_go_on, 0, N_MODELS);
    tcase_add_loop_test(tc, a_fork_diverges_from_its_origin, 0, N_MODELS);
    tcase_add_loop_test(tc, a_rewound_sample_continues_as_if_nothing_had_followed, 0, N_MODELS);
    tcase_add_test(tc, logits_come_for_the_last_rows_alone);
    tcase_add_loop_test(tc, a_fork_lives_on_in_another_session, 0, N_MODELS);
    tcase_add_loop_test(tc, forks_go_on_in_threads_of_their_own, 0, N_MODELS);
    tcase_add_test(tc, a_fork_into_a_session_of_another_model_is_refused);
    tcase_add_test(tc, a_sample_may_be_longer_than_the_config_foresees);
    tcase_add_test(tc, a_refused_step_changes_no_sample);
    tcase_add_test(tc, an_unused_slot_is_refused);
    tcase_add_loop_test(tc, pages_are_float_or_bfloat16_and_batch_invariant, 0, 3);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
