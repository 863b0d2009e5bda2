/* Each allocation of a step with images fails once, in turn: an error, and all samples continue with the same
 * bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/deny.h"
#include "fastpath/session/session.h"
#include "fastpath/tests/pictures.h"

/* Position tables and deepstack; windows. */
static const char *const MODELS[] = {"qwen3_vl/base", "qwen2_5_vl/base"};
enum { N_MODELS = sizeof MODELS / sizeof *MODELS };

static fp_model *model;
static fp_session *session;
static size_t vocab;
static assay_error err;
static picture_text texts[2];

/* Whether an allocation failed; rc must be ASSAY_ENOMEM then, and otherwise ASSAY_OK. */
static bool was_denied(assay_status rc)
{
    const bool denied = deny_end();
    ck_assert_msg(rc == (denied ? ASSAY_ENOMEM : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    return denied;
}

static void open_all(const char *name)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", name);
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    vocab = model->plan->vocab;
    texts[0] = pictures_make(model->plan, "3 i2x3a 2 i1x2b 1", 1);
    texts[1] = pictures_make(model->plan, "1 i2x2c 4", 2);
}

static void close_all(void)
{
    for (size_t i = 0; i < 2; i++) pictures_free(&texts[i]);
    fp_model_free(model);
}

static size_t join(fp_session *s)
{
    size_t slot;
    ck_assert_int_eq(fp_session_join(s, &slot, &err), ASSAY_OK);
    return slot;
}

/* Both texts, of samples 0 and 1. logits: of the last tokens, [2, vocab]; NULL: none. */
static assay_status step_both(fp_session *s, const fp_tracer *tracer, float *logits)
{
    assay_item items[2][PICTURES_MAX];
    fp_step steps[2];
    for (size_t i = 0; i < 2; i++)
        steps[i] = (fp_step){.slot = i,
                             .tokens = texts[i].tokens,
                             .n_tokens = texts[i].n,
                             .items = items[i],
                             .n_items = pictures_items(&texts[i], 0, texts[i].n, items[i]),
                             .logits = logits ? logits + i * vocab : NULL,
                             .n_logits = logits != NULL};
    return fp_session_step(s, steps, 2, tracer, &err);
}

static void open_both(void)
{
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    for (size_t i = 0; i < 2; i++) ck_assert_uint_eq(join(session), i);
}

static bool go_on(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)context;
    (void)sample;
    (void)tensor;
    (void)data;
    return true;
}

/* Without and with a tap of the tower. */
START_TEST(in_a_step)
{
    const fp_tracer tapped = {.fn = go_on}, *tracer = _i % 2 ? &tapped : NULL;
    open_all(MODELS[_i / 2]);
    float *expected = calloc(4 * vocab, sizeof *expected), *found = expected + 2 * vocab;
    ck_assert_ptr_nonnull(expected);
    open_both();
    ck_assert_int_eq(step_both(session, NULL, expected), ASSAY_OK);
    fp_session_free(session);
    bool denied = true;
    for (long n = 0; denied; n++) {
        open_both();
        deny(n);
        denied = was_denied(step_both(session, tracer, found));
        for (size_t i = 0; i < 2; i++)
            ck_assert_uint_eq(fp_session_length(session, i), denied ? 0 : texts[i].n);
        if (denied) ck_assert_int_eq(step_both(session, NULL, found), ASSAY_OK);
        ck_assert_mem_eq(found, expected, 2 * vocab * sizeof *found);
        fp_session_free(session);
    }
    free(expected);
    close_all();
}
END_TEST

START_TEST(in_a_fork)
{
    open_all(MODELS[_i]);
    open_both();
    ck_assert_int_eq(step_both(session, NULL, NULL), ASSAY_OK);
    bool denied = true;
    for (long n = 0; denied; n++) {
        fp_session *other;
        size_t forked = 77;
        ck_assert_int_eq(fp_session_open(model, &other, &err), ASSAY_OK);
        deny(n);
        denied = was_denied(fp_session_fork(session, 0, other, &forked, &err));
        ck_assert_uint_eq(forked, denied ? 77 : 0);
        fp_session_free(other);
    }
    fp_session_free(session);
    close_all();
}
END_TEST

/* Decoding within a page allocates nothing. */
START_TEST(a_token_decoded_after_images_needs_no_memory)
{
    static const int32_t TOKENS[] = {5, 6, 7};
    open_all(MODELS[_i]);
    open_both();
    ck_assert_int_eq(step_both(session, NULL, NULL), ASSAY_OK);
    for (size_t i = 0; i < 3; i++) {
        const fp_step steps[] = {{.slot = 0, .tokens = TOKENS + i, .n_tokens = 1},
                                 {.slot = 1, .tokens = TOKENS + i, .n_tokens = 1}};
        if (i == 2) deny(0);
        const assay_status rc = fp_session_step(session, steps, 2, NULL, &err);
        ck_assert(!deny_end() && rc == ASSAY_OK);
    }
    fp_session_free(session);
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/memory_images");
    TCase *tc = tcase_create("denied");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, in_a_step, 0, 2 * N_MODELS);
    tcase_add_loop_test(tc, in_a_fork, 0, N_MODELS);
    tcase_add_loop_test(tc, a_token_decoded_after_images_needs_no_memory, 0, N_MODELS);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
