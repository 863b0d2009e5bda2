/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/tests/engines.h"

#include "base/tests/support.h"
#include "model/tests/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ENGINES[N_ENGINES] = {"ref32", "ref64"};
const int32_t TEXT[N_TOKENS] = {1, 2, 3, 4, 5, 6}, OTHER[N_TOKENS] = {9, 8, 7, 11, 12, 13};

const assay_engine *engine;
assay_model *model;
assay_session *session;
size_t vocab;
assay_error err;

static assay_session *open_session(size_t n_samples)
{
    const assay_session_options options = {.size = sizeof options, .n_samples = n_samples};
    assay_session *opened = NULL;
    ck_assert_msg(engine->session_open(model, &options, &opened, &err) == ASSAY_OK, "%s", err.text);
    return opened;
}

void engines_open(int number)
{
    engines_open_model(number, "llama/base");
}

void engines_open_model(int number, const char *name)
{
    char module[64], *dir = checkpoint_fixture(name);
    (void)snprintf(module, sizeof module, "ref/%s.so", ENGINES[number]);
    engine = support_load_engine(module);
    ck_assert_msg(engine->model_open(dir, NULL, &model, &err) == ASSAY_OK, "%s", err.text);
    free(dir);
    vocab = engine->model_vocab(model);
    session = open_session(N_SAMPLES);
}

void engines_close(void)
{
    engine->session_free(session);
    engine->model_free(model);
}

size_t engines_row_bytes(void)
{
    return vocab * (engine->logits_dtype == ASSAY_F64 ? 8 : 4);
}

char *engines_blank(size_t n_rows)
{
    char *bytes = malloc(n_rows * engines_row_bytes());
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0xff, n_rows * engines_row_bytes());
    return bytes;
}

double engines_logit(const char *logits, size_t i)
{
    return engine->logits_dtype == ASSAY_F64 ? ((const double *)(const void *)logits)[i]
                                             : (double)((const float *)(const void *)logits)[i];
}

void engines_expect_alike(const char *a, const char *b, size_t n_rows)
{
    const double bound = engine->logits_dtype == ASSAY_F64 ? 1e-12 : 1e-4;
    for (size_t i = 0; i < n_rows * vocab; i++)
        ck_assert_msg(fabs(engines_logit(a, i) - engines_logit(b, i)) <= bound, "logit %zu: %g and %g", i,
                      engines_logit(a, i), engines_logit(b, i));
}

assay_status engines_step(assay_session *s, size_t sample, const int32_t *tokens, size_t n, size_t n_last,
                          char *logits)
{
    const assay_output output = {.name = "logits", .n_last = n_last, .data = logits};
    const assay_step step = {.sample = sample,
                             .tokens = tokens,
                             .n_tokens = n,
                             .outputs = n_last ? &output : NULL,
                             .n_outputs = n_last > 0};
    return engine->step(s, &step, 1, NULL, &err);
}

char *engines_last(assay_session *s, size_t sample, const int32_t *tokens, size_t n)
{
    char *logits = engines_blank(1);
    ck_assert_msg(engines_step(s, sample, tokens, n, 1, logits) == ASSAY_OK, "%s", err.text);
    return logits;
}

void engines_expect_tokens(assay_session *s, size_t sample, const int32_t *tokens, size_t n)
{
    static const int32_t NEXT[1] = {42};
    assay_session *other = open_session(1);
    if (n) ck_assert_int_eq(engines_step(other, 0, tokens, n, 0, NULL), ASSAY_OK);
    char *expected = engines_last(other, 0, NEXT, 1), *found = engines_last(s, sample, NEXT, 1);
    ck_assert_mem_eq(found, expected, engines_row_bytes());
    ck_assert_int_eq(engine->rewind(s, sample, n, &err), ASSAY_OK);
    engine->session_free(other);
    free(expected);
    free(found);
}
