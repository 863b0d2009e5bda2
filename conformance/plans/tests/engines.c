/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/plans/tests/engines.h"

#include "base/tests/support.h"
#include "model/tests/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ENGINES[N_ENGINES] = {"ref64", "ref32", "fastpath"};
const int32_t TEXT[LENGTH] = {3,  51, 17, 88, 9,  60, 44, 2,  71, 33, 25, 12, 80, 5,  66, 19, 47, 90, 1,  38,
                              54, 23, 77, 14, 62, 8,  41, 29, 85, 36, 11, 58, 73, 20, 49, 6,  67, 31, 82, 15};

assay_error err;

static const assay_engine *load(int engine)
{
    char module[128];
    (void)snprintf(module, sizeof module, "conformance/plans/changed_%s.so", ENGINES[engine]);
    return support_load_engine(module);
}

opened engines_open(int engine, setting s)
{
    opened o = {.engine = load(engine)};
    char *dir = checkpoint_fixture(s.model);
    const assay_session_options options = {.size = sizeof options, .n_samples = 2};
    (void)setenv("ASSAY_TEST_PLAN", s.change ? s.change : "", 1);
    ck_assert_msg(o.engine->model_open(dir, NULL, &o.model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(o.engine->session_open(o.model, &options, &o.session, &err) == ASSAY_OK, "%s", err.text);
    o.vocab = o.engine->model_vocab(o.model);
    free(dir);
    return o;
}

void engines_close(opened *o)
{
    o->engine->session_free(o->session);
    o->engine->model_free(o->model);
}

positions positions_shifted(size_t n_axes, int32_t shift)
{
    positions p = {.n_axes = n_axes};
    for (size_t i = 0; i < N_AXES * LENGTH; i++) p.list[i] = (int32_t)(i % LENGTH) + shift;
    return p;
}

positions positions_drawn(size_t n_axes)
{
    positions p = {.n_axes = n_axes};
    uint32_t state = 1;
    for (size_t i = 0; i < N_AXES * LENGTH; i++) {
        state = state * 1664525 + 1013904223;
        p.list[i] = (int32_t)((state >> 16) % 200);
    }
    return p;
}

double *engines_step(const opened *o, size_t sample, size_t from, size_t end, const positions *p)
{
    const size_t n = end - from, count = n * o->vocab;
    int32_t list[N_AXES * LENGTH];
    double *wide = malloc(count * sizeof *wide);
    ck_assert_ptr_nonnull(wide);
    memset(wide, 0xff, count * sizeof *wide);
    for (size_t a = 0; a < p->n_axes; a++)
        memcpy(list + a * n, p->list + a * LENGTH + from, n * sizeof *list);
    const assay_output output = {.name = "logits", .n_last = n, .data = wide};
    const assay_step step = {.sample = sample,
                             .tokens = TEXT + from,
                             .n_tokens = n,
                             .positions = p->n_axes ? list : NULL,
                             .n_axes = p->n_axes,
                             .outputs = &output,
                             .n_outputs = 1};
    ck_assert_msg(o->engine->step(o->session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    if (o->engine->logits_dtype == ASSAY_F64) return wide;
    const float *narrow = (const float *)(const void *)wide;
    for (size_t i = count; i-- > 0;) wide[i] = (double)narrow[i];
    return wide;
}

double *engines_whole(const opened *o, const positions *p)
{
    double *logits = engines_step(o, 1, 0, LENGTH, p);
    ck_assert_int_eq(o->engine->rewind(o->session, 1, 0, &err), ASSAY_OK);
    return logits;
}

double engines_distance(const double *a, const double *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        ck_assert(isfinite(a[i]) && isfinite(b[i]));
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

double engines_largest(const double *a, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

double engines_bound(setting s, const positions *p)
{
    opened truth = engines_open(REF64, s), narrow = engines_open(REF32, s);
    double *t = engines_whole(&truth, p), *n = engines_whole(&narrow, p);
    const size_t count = LENGTH * truth.vocab;
    const double floor = 16 * ldexp(engines_largest(t, count), -23);
    const double bound = 4 * fmax(engines_distance(t, n, count), floor);
    free(t);
    free(n);
    engines_close(&truth);
    engines_close(&narrow);
    return bound;
}
