/* Blocks of tokens that attend to each other: logits are bit-identical for any passes, batch neighbours,
 * forks and rewinds, and a step that continues a block is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/forward.h"
#include "fastpath/session/session.h"
#include "fastpath/tests/sessions.h"

/* Ids of gemma4/blocks: those of images and videos form blocks, audio does not. */
enum { IMAGE = 3, AUDIO = 7, VIDEO = 12, A = 1, MOST = 160 };

static size_t most_rows; /* of a pass */

static void open_model(void)
{
    most_rows = FP_CHUNK;
    sessions_open("gemma4/blocks");
}

static void set_most_rows(size_t n)
{
    most_rows = n;
    fp_session_chunk(session, n);
}

__typeof__(fp_forward) __real_fp_forward, __wrap_fp_forward;

/* The linker sends calls here. Only a block that has a pass of its own exceeds the most rows. */
assay_status __wrap_fp_forward(const fp_model *m, fp_scratch *scratch, const fp_tracer *tracer, fp_run *runs,
                               size_t n_runs)
{
    size_t n_rows = 0;
    for (size_t j = 0; j < n_runs; j++) n_rows += runs[j].n_rows;
    ck_assert_uint_gt(n_rows, 0);
    if (n_rows > most_rows) {
        ck_assert_uint_eq(n_runs, 1);
        for (size_t t = 0; t < n_rows; t++)
            ck_assert(runs[0].tokens[t] == IMAGE || runs[0].tokens[t] == VIDEO);
    }
    return __real_fp_forward(m, scratch, tracer, runs, n_runs);
}

/* Tokens as letters: i, v and a for the ids above, others for text. */
typedef struct text {
    int32_t tokens[MOST];
    size_t n;
} text;

static text text_of(const char *letters)
{
    text t = {.n = strlen(letters)};
    ck_assert_uint_le(t.n, MOST);
    for (size_t i = 0; i < t.n; i++)
        t.tokens[i] = letters[i] == 'i'   ? IMAGE
                      : letters[i] == 'v' ? VIDEO
                      : letters[i] == 'a' ? AUDIO
                                          : (int32_t)(13 + i * i % 9);
    return t;
}

/* Blocks at the start and the end, longer and shorter than the window and than a page of 64 positions. */
static const char *const TEXTS[] = {
    "iiiiiiiii..ii....vv.i.aaa.iiiii",
    "..........iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii.ivi..ii",
    "......................................................................iiii......", "ivii"};
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

/* The logits of all tokens of a text, evaluated in one step by a sample of its own; the caller frees them. */
static float *whole(const text *t)
{
    const size_t slot = sessions_join();
    float *logits = malloc(t->n * vocab * sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    const fp_step step = {
        .slot = slot, .tokens = t->tokens, .n_tokens = t->n, .logits = logits, .n_logits = t->n};
    ck_assert_msg(fp_session_step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    return logits;
}

/* Expects tokens from … end - 1 of a text, as a step of a sample, to have those rows of `expected`. */
static void expect_rows(size_t slot, const text *t, size_t from, size_t end, const float *expected)
{
    const size_t n = end - from;
    float *logits = malloc(n * vocab * sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    const fp_step step = {
        .slot = slot, .tokens = t->tokens + from, .n_tokens = n, .logits = logits, .n_logits = n};
    ck_assert_msg(fp_session_step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_mem_eq(logits, expected + from * vocab, n * vocab * sizeof *logits);
    free(logits);
}

/* A pass of 1 row at most, unless a block is longer, up to a pass with all rows. */
START_TEST(the_size_of_passes_changes_no_bit)
{
    static const size_t SIZES[] = {1, 2, 3, 5, 7, 64};
    const text t = text_of(TEXTS[_i]);
    open_model();
    float *expected = whole(&t);
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        set_most_rows(SIZES[k]);
        const size_t slot = sessions_join();
        expect_rows(slot, &t, 0, t.n, expected);
        ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    }
    free(expected);
    sessions_close();
}
END_TEST

/* All texts in one step, in passes of any size, forwards and backwards. */
START_TEST(batch_neighbours_change_no_bit)
{
    static const size_t SIZES[] = {4, 33, FP_CHUNK};
    text t[N_TEXTS];
    float *expected[N_TEXTS], *found[N_TEXTS];
    open_model();
    for (size_t i = 0; i < N_TEXTS; i++) {
        t[i] = text_of(TEXTS[i]);
        expected[i] = whole(&t[i]);
        found[i] = malloc(t[i].n * vocab * sizeof *found[i]);
        ck_assert_ptr_nonnull(found[i]);
    }
    for (size_t k = 0; k < 6; k++) {
        fp_step steps[N_TEXTS];
        set_most_rows(SIZES[k / 2]);
        for (size_t i = 0; i < N_TEXTS; i++) {
            memset(found[i], 0xff, t[i].n * vocab * sizeof *found[i]);
            steps[k % 2 ? N_TEXTS - 1 - i : i] = (fp_step){.slot = sessions_join(),
                                                           .tokens = t[i].tokens,
                                                           .n_tokens = t[i].n,
                                                           .logits = found[i],
                                                           .n_logits = t[i].n};
        }
        ck_assert_msg(fp_session_step(session, steps, N_TEXTS, NULL, &err) == ASSAY_OK, "%s", err.text);
        for (size_t i = 0; i < N_TEXTS; i++) {
            ck_assert_mem_eq(found[i], expected[i], t[i].n * vocab * sizeof *found[i]);
            ck_assert_int_eq(fp_session_leave(session, steps[i].slot, &err), ASSAY_OK);
        }
    }
    for (size_t i = 0; i < N_TEXTS; i++) {
        free(expected[i]);
        free(found[i]);
    }
    sessions_close();
}
END_TEST

START_TEST(steps_that_divide_no_block_give_the_bits_of_one_step)
{
    const text t = text_of("....iii..iiiiiiiiii.ii");
    static const size_t CUTS[] = {0, 1, 4, 7, 8, 19, 20, 22};
    open_model();
    float *expected = whole(&t);
    const size_t slot = sessions_join();
    for (size_t k = 0; k + 1 < sizeof CUTS / sizeof *CUTS; k++)
        expect_rows(slot, &t, CUTS[k], CUTS[k + 1], expected);
    free(expected);
    sessions_close();
}
END_TEST

/* Expects that a sample with the first n_tokens of a text refuses the next one. */
static void expect_refusal(size_t slot, const text *t, size_t n_tokens)
{
    const fp_step step = {.slot = slot, .tokens = t->tokens + n_tokens, .n_tokens = 1};
    ck_assert_uint_eq(fp_session_length(session, slot), n_tokens);
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_EUNSUPPORTED);
    char index[32];
    (void)snprintf(index, sizeof index, "at index %zu", n_tokens);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "a block of tokens that attend to each other", index,
                         NULL);
    ck_assert_uint_eq(fp_session_length(session, slot), n_tokens);
}

START_TEST(a_step_that_continues_a_block_is_refused_and_changes_no_sample)
{
    const text t = text_of("..iv.."), first = text_of("..i..");
    open_model();
    float *expected = whole(&first);
    const size_t a = sessions_join(), b = sessions_join();
    expect_rows(a, &first, 0, 2, expected);
    expect_rows(b, &first, 0, 3, expected);
    const fp_step steps[] = {{.slot = a, .tokens = first.tokens + 2, .n_tokens = 1},
                             {.slot = b, .tokens = t.tokens + 3, .n_tokens = 2}};
    ck_assert_int_eq(fp_session_step(session, steps, 2, NULL, &err), ASSAY_EUNSUPPORTED);
    expect_refusal(b, &t, 3);
    expect_rows(a, &first, 2, 5, expected);
    expect_rows(b, &first, 3, 5, expected);
    free(expected);
    sessions_close();
}
END_TEST

/* The text is rewound to each of its tokens. Within a block it goes on with text alone, like one that never
 * had the rest of the block; elsewhere like one that was never longer. Rewound twice, the state has fewer
 * tokens than the sample. */
START_TEST(a_rewound_sample_goes_on_like_a_new_one)
{
    const text t = text_of(TEXTS[_i]);
    open_model();
    float *expected = whole(&t);
    const size_t slot = sessions_join();
    expect_rows(slot, &t, 0, t.n, expected);
    for (size_t n = t.n - 1; n > 0; n--) {
        const bool divides = (t.tokens[n - 1] == IMAGE || t.tokens[n - 1] == VIDEO) &&
                             (t.tokens[n] == IMAGE || t.tokens[n] == VIDEO);
        text shorter = t;
        shorter.tokens[n] = shorter.tokens[n + 1] = A;
        shorter.n = n + 2;
        ck_assert_int_eq(fp_session_rewind(session, slot, n, &err), ASSAY_OK);
        if (divides) expect_refusal(slot, &t, n);
        if (n % 3 == 0) continue;
        float *alone = whole(&shorter);
        expect_rows(slot, &shorter, n, n + 1, alone);
        if (n % 2) ck_assert_int_eq(fp_session_rewind(session, slot, n, &err), ASSAY_OK);
        expect_rows(slot, &shorter, n % 2 ? n : n + 1, n + 2, alone);
        free(alone);
    }
    free(expected);
    sessions_close();
}
END_TEST

START_TEST(a_fork_within_a_block_goes_on_with_text_alone)
{
    const text t = text_of("..iiiiiiii.."), shorter = text_of("..iiiiii....");
    open_model();
    float *expected = whole(&t), *alone = whole(&shorter);
    const size_t slot = sessions_join();
    size_t forked, other;
    expect_rows(slot, &t, 0, 10, expected);
    ck_assert_int_eq(fp_session_fork(session, slot, session, &forked, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_rewind(session, forked, 8, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_fork(session, forked, session, &other, &err), ASSAY_OK);
    expect_refusal(forked, &t, 8);
    expect_refusal(other, &t, 8);
    expect_rows(other, &shorter, 8, 10, alone);
    expect_rows(slot, &t, 10, 12, expected);
    expect_rows(forked, &shorter, 8, 12, alone);
    free(expected);
    free(alone);
    sessions_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/blocks");
    TCase *tc = tcase_create("blocks");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, the_size_of_passes_changes_no_bit, 0, N_TEXTS);
    tcase_add_test(tc, batch_neighbours_change_no_bit);
    tcase_add_test(tc, steps_that_divide_no_block_give_the_bits_of_one_step);
    tcase_add_test(tc, a_step_that_continues_a_block_is_refused_and_changes_no_sample);
    tcase_add_loop_test(tc, a_rewound_sample_goes_on_like_a_new_one, 0, N_TEXTS);
    tcase_add_test(tc, a_fork_within_a_block_goes_on_with_text_alone);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
