/* Each allocation fails once, in turn: an error, and all other sessions continue with the same bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/deny.h"
#include "fastpath/session/steps.h"

/* A window, positions that scale with the length, shared caches, experts, delta nets. */
static const char *const MODELS[] = {"qwen3/window", "llama/dynamic", "gemma4/shared-kv", "gemma4/experts",
                                     "qwen3_5_moe/base"};
/* And streams, and groups. */
static const char *const OPENED[] = {"qwen3/window", "gemma4/experts", "gemma3n/towers", "qwen3/mlx-3bit",
                                     "qwen3_5_moe/base"};

enum { N_MODELS = sizeof MODELS / sizeof *MODELS, N_OPENED = sizeof OPENED / sizeof *OPENED, LENGTH = 75 };

static fp_model *model;
static fp_session *session;
static size_t vocab;
static assay_error err;

/* Whether an allocation failed; rc must be ASSAY_ENOMEM then, and otherwise ASSAY_OK. */
static bool was_denied(assay_status rc)
{
    const bool denied = deny_end();
    ck_assert_msg(rc == (denied ? ASSAY_ENOMEM : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    return denied;
}

static assay_status open_model(const char *name, fp_model **out)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", name);
    return fp_model_open(path, &options, out, &err);
}

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

static void run_step(size_t slot, size_t text, size_t from, size_t end, float *logits)
{
    fp_step step = {.slot = slot,
                    .tokens = text_of(text) + from,
                    .n_tokens = end - from,
                    .logits = logits,
                    .n_logits = 1};
    ck_assert_msg(fp_session_step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
}

/* Expects a sample with a text up to `from` to give, with the tokens up to `end`, the logits of a
 * sample without a failed allocation. */
static void expect_audio(size_t slot, size_t text, size_t from, size_t end)
{
    float *found = malloc(2 * vocab * sizeof *found), *expected = found + vocab;
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(fp_session_length(session, slot), from);
    size_t fresh = join();
    run_step(fresh, text, 0, end, expected);
    run_step(slot, text, from, end, found);
    ck_assert_mem_eq(found, expected, vocab * sizeof *found);
    ck_assert_int_eq(fp_session_leave(session, fresh, &err), ASSAY_OK);
    free(found);
}

/* A sample that nothing happens to, and that must not notice anything; the session's first. */
static void open_bystander(const char *name)
{
    ck_assert_msg(open_model(name, &model) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    vocab = model->plan->vocab;
    fp_step step = {.slot = join(), .tokens = text_of(2), .n_tokens = 5};
    ck_assert_int_eq(fp_session_step(session, &step, 1, NULL, &err), ASSAY_OK);
}

static void expect_bystander(void)
{
    expect_audio(0, 2, 5, 6);
    ck_assert_int_eq(fp_session_rewind(session, 0, 5, &err), ASSAY_OK);
}

static void close_all(void)
{
    fp_session_free(session);
    fp_model_free(model);
}

/* In a session whose buffers are all new. The positions are those that the tokens have anyway. */
START_TEST(in_a_step)
{
    bool denied = true;
    int32_t index[68];
    for (size_t t = 0; t < 68; t++) index[t] = (int32_t)t;
    open_bystander(MODELS[_i]);
    for (long n = 0; denied; n++) {
        fp_session_free(session);
        ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
        size_t a = join(), b = join(), rests = join();
        float *logits = malloc(vocab * sizeof *logits);
        ck_assert_ptr_nonnull(logits);
        run_step(a, 0, 0, 2, logits);
        run_step(rests, 2, 0, 5, logits);
        free(logits);
        size_t twin; /* whose pages the step must not write to */
        ck_assert_int_eq(fp_session_fork(session, a, session, &twin, &err), ASSAY_OK);
        const fp_step steps[] = {
            {.slot = a, .tokens = text_of(0) + 2, .n_tokens = 66, .positions = index + 2, .n_axes = 1},
            {.slot = b, .tokens = text_of(1), .n_tokens = 5}};
        deny(n);
        denied = was_denied(fp_session_step(session, steps, 2, NULL, &err));
        ck_assert_uint_eq(fp_session_length(session, a), denied ? 2 : 68);
        ck_assert_uint_eq(fp_session_length(session, b), denied ? 0 : 5);
        if (denied && n % 5) continue; /* the costly part, now and then */
        expect_audio(a, 0, fp_session_length(session, a), 70);
        expect_audio(b, 1, fp_session_length(session, b), 7);
        expect_audio(rests, 2, 5, 6);
        expect_audio(twin, 0, 2, 4);
    }
    close_all();
}
END_TEST

START_TEST(in_a_new_session_and_a_new_sample)
{
    bool denied = true;
    open_bystander(MODELS[_i]);
    for (long n = 0; denied; n++) {
        fp_session *other = NULL;
        deny(n);
        denied = was_denied(fp_session_open(model, &other, &err));
        ck_assert(denied == (other == NULL));
        fp_session_free(other);
    }
    denied = true;
    for (long n = 0; denied; n++) {
        size_t slot = 77;
        deny(n);
        denied = was_denied(fp_session_join(session, &slot, &err));
        ck_assert(denied == (slot == 77));
        expect_bystander();
        if (!denied) expect_audio(slot, 1, 0, 7);
    }
    close_all();
}
END_TEST

START_TEST(in_a_fork)
{
    open_bystander(MODELS[_i]);
    fp_session *own = session, *other;
    ck_assert_int_eq(fp_session_open(model, &other, &err), ASSAY_OK);
    size_t a = join();
    ck_assert_int_eq(
        fp_session_step(own, &(fp_step){.slot = a, .tokens = text_of(0), .n_tokens = 70}, 1, NULL, &err),
        ASSAY_OK);
    for (size_t i = 0; i < 2; i++) {
        bool denied = true;
        for (long n = 0; denied; n++) {
            size_t forked = 77;
            deny(n);
            denied = was_denied(fp_session_fork(own, a, i ? other : own, &forked, &err));
            ck_assert_uint_eq(forked, denied ? 77 : i ? 0 : 2); /* a failed fork adds no sample */
            session = i ? other : own;
            if (!denied) expect_audio(forked, 0, 70, 72);
            session = own;
            expect_bystander();
        }
    }
    expect_audio(a, 0, 70, 71);
    fp_session_free(other);
    close_all();
}
END_TEST

/* Steps of the ABI in a new session. */
enum { N_BOTH = 2, N_PROMPT = 6 };

/* A step with n_tokens tokens of each of two texts, from `from` on, and the logits of the last, [2, vocab].
 */
static assay_status step_both(fp_steps *s, fp_session *both, size_t from, size_t n_tokens, float *logits)
{
    assay_output outputs[N_BOTH];
    assay_step steps[N_BOTH];
    for (size_t i = 0; i < N_BOTH; i++) {
        outputs[i] = (assay_output){.name = "logits", .n_last = 1, .data = logits + i * vocab};
        steps[i] = (assay_step){.sample = i,
                                .tokens = text_of(i) + from,
                                .n_tokens = n_tokens,
                                .outputs = &outputs[i],
                                .n_outputs = 1};
    }
    return fp_steps_run(s, both, steps, N_BOTH, 0, NULL, &err);
}

static fp_session *open_both(void)
{
    fp_session *both;
    size_t slot;
    ck_assert_int_eq(fp_session_open(model, &both, &err), ASSAY_OK);
    for (size_t i = 0; i < N_BOTH; i++) ck_assert_int_eq(fp_session_join(both, &slot, &err), ASSAY_OK);
    return both;
}

START_TEST(in_steps_of_the_abi)
{
    open_bystander(MODELS[_i]);
    float *expected = calloc(4 * vocab, sizeof *expected), *logits = calloc(4 * vocab, sizeof *logits);
    ck_assert(expected && logits);
    fp_session *both = open_both();
    fp_steps kept = {0};
    ck_assert_int_eq(step_both(&kept, both, 0, N_PROMPT, expected), ASSAY_OK);
    ck_assert_int_eq(step_both(&kept, both, N_PROMPT, 1, expected + 2 * vocab), ASSAY_OK);
    fp_session_free(both);
    fp_steps_free(&kept);
    bool prompt_denied = true, decode_denied = true;
    for (long n = 0; prompt_denied || decode_denied; n++) {
        both = open_both();
        deny(n);
        prompt_denied = was_denied(step_both(&kept, both, 0, N_PROMPT, logits));
        for (size_t i = 0; i < N_BOTH; i++)
            ck_assert_uint_eq(fp_session_length(both, i), prompt_denied ? 0 : N_PROMPT);
        if (prompt_denied) ck_assert_int_eq(step_both(&kept, both, 0, N_PROMPT, logits), ASSAY_OK);
        deny(n);
        decode_denied = was_denied(step_both(&kept, both, N_PROMPT, 1, logits + 2 * vocab));
        if (decode_denied)
            ck_assert_int_eq(step_both(&kept, both, N_PROMPT, 1, logits + 2 * vocab), ASSAY_OK);
        ck_assert_mem_eq(logits, expected, 4 * vocab * sizeof *logits);
        expect_bystander();
        fp_session_free(both);
        fp_steps_free(&kept);
    }
    free(expected);
    free(logits);
    close_all();
}
END_TEST

/* Decoding within a page allocates nothing. */
START_TEST(a_decoded_token_needs_no_memory)
{
    open_bystander("qwen3/window");
    float *logits = calloc(2 * vocab, sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    fp_session *both = open_both();
    fp_steps kept = {0};
    ck_assert_int_eq(step_both(&kept, both, 0, N_PROMPT, logits), ASSAY_OK);
    ck_assert_int_eq(step_both(&kept, both, N_PROMPT, 1, logits), ASSAY_OK);
    deny(0);
    assay_status rc = step_both(&kept, both, N_PROMPT + 1, 1, logits);
    ck_assert(!deny_end() && rc == ASSAY_OK);
    fp_session_free(both);
    fp_steps_free(&kept);
    free(logits);
    close_all();
}
END_TEST

START_TEST(in_another_model)
{
    bool denied = true;
    open_bystander(MODELS[0]);
    for (long n = 0; denied; n++) {
        fp_model *other = NULL;
        deny(n);
        denied = was_denied(open_model(OPENED[_i], &other));
        ck_assert(denied == (other == NULL));
        if (n % 50 == 0 || !denied) expect_bystander();
        fp_model_free(other);
    }
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/memory");
    TCase *tc = tcase_create("denied");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, in_a_step, 0, N_MODELS);
    tcase_add_loop_test(tc, in_a_new_session_and_a_new_sample, 0, N_MODELS);
    tcase_add_loop_test(tc, in_a_fork, 0, N_MODELS);
    tcase_add_loop_test(tc, in_steps_of_the_abi, 0, N_MODELS);
    tcase_add_test(tc, a_decoded_token_needs_no_memory);
    tcase_add_loop_test(tc, in_another_model, 0, N_OPENED);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
