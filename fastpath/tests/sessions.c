/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/sessions.h"

#include "base/tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const MODELS[N_MODELS] = {"qwen3/window",     "llama/dynamic",  "phi3/longrope",
                                      "gemma4/shared-kv", "gemma4/experts", "qwen3_5/base",
                                      "qwen3_5_moe/base"};

fp_model *model;
fp_session *session;
size_t vocab;
assay_error err;
assay_dtype compute;

void sessions_open(const char *name)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0, .compute = compute};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", name);
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    vocab = model->plan->vocab;
}

void sessions_close(void)
{
    fp_session_free(session);
    fp_model_free(model);
}

const int32_t *sessions_text(size_t text)
{
    static int32_t tokens[4][LENGTH];
    for (size_t t = 0; t < LENGTH; t++)
        tokens[text][t] = (int32_t)((text * 37 + t * t * 5 + t * 11 + 1) % 90);
    return tokens[text];
}

size_t sessions_join(void)
{
    size_t slot;
    ck_assert_int_eq(fp_session_join(session, &slot, &err), ASSAY_OK);
    return slot;
}

const float *sessions_take(size_t slot, const int32_t *tokens, size_t n)
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

float *sessions_fresh(size_t text, size_t n)
{
    size_t slot = sessions_join();
    float *copy = malloc(vocab * sizeof *copy);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, sessions_take(slot, sessions_text(text), n), vocab * sizeof *copy);
    ck_assert_int_eq(fp_session_leave(session, slot, &err), ASSAY_OK);
    return copy;
}

void sessions_expect_fresh(const float *logits, size_t text, size_t n)
{
    float *expected = sessions_fresh(text, n), *given = malloc(vocab * sizeof *given);
    ck_assert_ptr_nonnull(given);
    memcpy(given, logits, vocab * sizeof *given);
    ck_assert_mem_eq(given, expected, vocab * sizeof *expected);
    free(given);
    free(expected);
}

void sessions_compare(size_t slot, size_t text, size_t from, size_t end)
{
    float *expected = sessions_fresh(text, end);
    ck_assert_mem_eq(sessions_take(slot, sessions_text(text) + from, end - from), expected,
                     vocab * sizeof *expected);
    free(expected);
}
