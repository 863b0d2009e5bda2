/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/abi.h"

#include "base/tests/support.h"
#include "model/tests/checkpoint.h"

#include <stdlib.h>
#include <string.h>

const assay_engine *engine;
assay_model *model;
assay_session *session;
size_t vocab;
assay_error err;

assay_status abi_open_model(const char *name, const assay_model_options *options)
{
    char *dir = checkpoint_fixture(name);
    engine = support_load_engine("fastpath/fastpath.so");
    const assay_status rc = engine->model_open(dir, options, &model, &err);
    free(dir);
    return rc;
}

assay_session *abi_open_session(size_t n_samples, size_t limit, size_t sink_tokens)
{
    assay_session *s;
    const assay_session_options options = {
        .size = sizeof options, .n_samples = n_samples, .limit = limit, .sink_tokens = sink_tokens};
    ck_assert_msg(engine->session_open(model, &options, &s, &err) == ASSAY_OK, "%s", err.text);
    return s;
}

void abi_open(const char *name, size_t n_samples)
{
    ck_assert_msg(abi_open_model(name, NULL) == ASSAY_OK, "%s", err.text);
    vocab = engine->model_vocab(model);
    session = abi_open_session(n_samples, 0, 0);
}

void abi_close(void)
{
    engine->session_free(session);
    engine->model_free(model);
}

float *abi_blank(size_t n)
{
    float *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    memset(x, 0xff, n * sizeof *x);
    return x;
}

const int32_t *abi_text(size_t text)
{
    static int32_t tokens[4][ABI_LENGTH];
    for (size_t t = 0; t < ABI_LENGTH; t++)
        tokens[text][t] = (int32_t)((text * 37 + t * t * 5 + t * 11 + 1) % 90);
    return tokens[text];
}

assay_status abi_step(size_t sample, const int32_t *tokens, size_t n_tokens, float *logits, size_t n_last)
{
    const assay_output output = {.name = "logits", .n_last = n_last, .data = logits};
    const assay_step step = {.sample = sample,
                             .tokens = tokens,
                             .n_tokens = n_tokens,
                             .outputs = &output,
                             .n_outputs = n_last > 0};
    return engine->step(session, &step, 1, NULL, &err);
}

float *abi_whole(size_t text)
{
    assay_session *own = session;
    float *logits = abi_blank(ABI_LENGTH * vocab);
    session = abi_open_session(1, 0, 0);
    ck_assert_int_eq(abi_step(0, abi_text(text), ABI_LENGTH, logits, ABI_LENGTH), ASSAY_OK);
    engine->session_free(session);
    session = own;
    return logits;
}

void abi_expect(size_t sample, size_t text, size_t from, size_t end, const float *whole)
{
    float *logits = abi_blank((end - from) * vocab);
    ck_assert_msg(abi_step(sample, abi_text(text) + from, end - from, logits, end - from) == ASSAY_OK, "%s",
                  err.text);
    ck_assert_mem_eq(logits, whole + from * vocab, (end - from) * vocab * sizeof *logits);
    free(logits);
}
