/* Two observations: whether they are the same bit for bit, and if not, how far they are apart. Nothing is
 * recorded of their noise: the unit of float32 is the least that the judge ever assumes. In narrower types
 * that says nothing, and no other number is known: how far they are apart is told, and not judged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/compute.h"
#include "conformance/diff_parts.h"
#include "conformance/evaluate_parts.h"
#include "conformance/slab.h"
#include "model/dtype.h"
#include "model/error.h"

#define UNJUDGED   DBL_MAX /* a limit that masks alone leave: they are infinitely far apart */
#define UNIT_WORDS "16 ulps of the largest value"

typedef struct pair_state {
    conf_diff_state *d;
    pthread_mutex_t mutex;
    bool same; /* bit for bit, as far as was looked */
    size_t n_members, n_rows;

    /* logits */
    size_t run, n_samples_before;
    conf_logits_judgement j;
    conf_place place;
    double expected, found;
} pair_state;

/* conf_slab_fn: stops at the first row that differs in any bit. */
static bool compare_bits(void *context, const conf_slab *slab, size_t from, size_t to)
{
    pair_state *s = context;
    conf_row a = conf_slab_row(slab, 0, from), b = conf_slab_row(slab, 1, from);
    size_t bytes = (to - from) * slab->n_cols[0] * dtype_size(a.dtype);
    if (memcmp(a.data, b.data, bytes) == 0) return true;
    (void)pthread_mutex_lock(&s->mutex);
    s->same = false;
    (void)pthread_mutex_unlock(&s->mutex);
    return false;
}

/* *same: bit for bit. */
static assay_status compare_streams(pair_state *s, conf_stream *a, conf_stream *b, bool *same,
                                    assay_error *err)
{
    conf_stream *const streams[] = {a, b};
    bool before = s->same;
    s->same = true;
    assay_status rc = conf_slabs_walk(streams, 2, s->d->n_workers, compare_bits, s, err);
    *same = s->same;
    s->same = s->same && before;
    s->n_members++;
    return rc;
}

/* conf_slab_fn: rows of prefill are numbered before those of decode. */
static bool judge_rows(void *context, const conf_slab *slab, size_t from, size_t to)
{
    pair_state *s = context;
    for (size_t i = from; i < to; i++) {
        conf_row a = conf_slab_row(slab, 0, i), b = conf_slab_row(slab, 1, i);
        conf_row_measure m = conf_row_measure_of(&a, &b, slab->n_cols[0]);
        size_t sample, pos;
        conf_slab_place(slab, i, &sample, &pos);
        (void)pthread_mutex_lock(&s->mutex);
        if (conf_logits_add(&s->j, s->n_samples_before + sample * slab->n_tokens + pos, &m, &s->d->bounds)) {
            s->place = (conf_place){.sample = sample, .decode = s->run == CONF_RUN_DECODE, .pos = pos};
            s->expected = conf_row_at(&a, s->j.col);
            s->found = conf_row_at(&b, s->j.col);
        }
        (void)pthread_mutex_unlock(&s->mutex);
    }
    return true;
}

/* Opens the member in both files, where both have it and it fits; else d->v says what is wrong. */
static assay_status open_both(pair_state *s, const char *name, conf_stream **a, conf_stream **b,
                              assay_error *err)
{
    conf_diff_state *d = s->d;
    if (!conf_h5_has(d->golden, name)) {
        (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s: %s is missing, and %s has it",
                                 conf_h5_path(d->golden), name, conf_h5_path(d->observed));
        return ASSAY_OK;
    }
    conf_array shape;
    assay_status rc = conf_stream_open(d->golden, name, a, err);
    if (rc == ASSAY_OK) rc = conf_h5_shape(d->golden, name, &shape, err);
    if (rc != ASSAY_OK) return rc;
    const char *const type[] = {dtype_name(shape.dtype), NULL};
    bool fits;
    rc = conf_diff_member_check(d, name, type, shape.rank, shape.shape, &fits, err);
    return rc == ASSAY_OK && fits ? conf_stream_open(d->observed, name, b, err) : rc;
}

/* The largest value counts over all logits, as in a golden. */
static assay_status judge_differing(pair_state *s, assay_error *err)
{
    conf_diff_state *d = s->d;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < CONF_N_RUNS && rc == ASSAY_OK; i++)
        if (d->runs[i].found) rc = conf_diff_largest(d, d->runs[i].truth, false, &d->largest, err);
    const conf_distance none = {.same_mask = true};
    d->bounds = d->v->float64 ? conf_bounds_relative(CONF_FLOAT64_BOUND, d->largest)
                              : conf_bounds_of_noise(&none, d->largest);
    if (conf_compute_is_narrow(d->v->compute)) d->bounds.limit = UNJUDGED;
    for (s->run = 0; s->run < CONF_N_RUNS && rc == ASSAY_OK; s->run++) {
        conf_stream *const streams[] = {d->runs[s->run].truth, d->runs[s->run].found};
        if (!streams[1]) continue;
        rc = conf_slabs_walk(streams, 2, d->n_workers, judge_rows, s, err);
        s->n_samples_before += conf_stream_shape(streams[0])[0] * conf_stream_shape(streams[0])[1];
    }
    if (rc != ASSAY_OK) return rc;
    conf_logits_end(&s->j, &d->bounds);
    const conf_allowance allowance = {.relative = CONF_FLOAT64_BOUND, .unit = UNIT_WORDS};
    if (!conf_evaluate_measures(d->v, &s->j, &d->bounds, s->n_rows, &allowance))
        conf_evaluate_where(d->v, &s->place, s->j.col, s->expected, s->found);
    return rc;
}

static assay_status diff_logits(pair_state *s, assay_error *err)
{
    static const char *const names[CONF_N_RUNS] = {"/observed/prefill", "/observed/decode"};
    conf_diff_state *d = s->d;
    assay_status rc = ASSAY_OK;
    bool all_same = true;
    for (size_t i = 0; i < CONF_N_RUNS && rc == ASSAY_OK; i++) {
        conf_diff_run *r = &d->runs[i];
        if (!conf_h5_has(d->golden, names[i]) && !conf_h5_has(d->observed, names[i])) continue;
        bool same = true;
        rc = open_both(s, names[i], &r->truth, &r->found, err);
        if (rc != ASSAY_OK || !r->found) continue;
        s->n_rows += conf_stream_shape(r->truth)[0] * conf_stream_shape(r->truth)[1];
        if (conf_stream_dtype(r->truth) == ASSAY_F64 && d->v->compute == ASSAY_DTYPE_NONE)
            d->v->float64 = true;
        rc = compare_streams(s, r->truth, r->found, &same, err);
        all_same = all_same && same;
    }
    return rc == ASSAY_OK && !all_same ? judge_differing(s, err) : rc;
}

/* Whole numbers: exact. Their sizes are bounded by what a file's small members may take. */
static assay_status diff_tokens(pair_state *s, assay_error *err)
{
    static const char name[] = "/observed/tokens";
    static const char *const types[] = {"I32", NULL};
    conf_diff_state *d = s->d;
    if (!conf_h5_has(d->golden, name) && !conf_h5_has(d->observed, name)) return ASSAY_OK;
    if (!conf_h5_has(d->golden, name)) {
        (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s: %s is missing, and %s has it",
                                 conf_h5_path(d->golden), name, conf_h5_path(d->observed));
        return ASSAY_OK;
    }
    conf_array a = {0}, b = {0};
    bool fits = false;
    assay_status rc = conf_h5_read(d->golden, name, &a, err);
    if (rc == ASSAY_OK && a.dtype != ASSAY_I32)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s has type %s, expected I32", conf_h5_path(d->golden), name,
                        dtype_name(a.dtype));
    if (rc == ASSAY_OK) rc = conf_diff_member_check(d, name, types, a.rank, a.shape, &fits, err);
    if (rc == ASSAY_OK && fits) rc = conf_h5_read(d->observed, name, &b, err);
    const int32_t *expected = a.data, *found = b.data;
    size_t i = 0, n = rc == ASSAY_OK && fits ? a.n : 0;
    while (i < n && expected[i] == found[i]) i++;
    if (i < n) {
        size_t m = a.rank > 0 ? a.shape[a.rank - 1] : 1;
        s->same = false;
        if (conf_evaluate_fail(d->v, CONF_CLASS_TOKENS, "a greedy token differs"))
            (void)snprintf(d->v->where, sizeof d->v->where,
                           "sample %zu, greedy step %zu: expected token %" PRId32 ", found token %" PRId32,
                           i / m, i % m, expected[i], found[i]);
    }
    s->n_members++;
    conf_array_free(&a);
    conf_array_free(&b);
    return rc;
}

static assay_status diff_trace(pair_state *s, const char *name, bool *diverges, assay_error *err)
{
    conf_verdict *v = s->d->v;
    conf_stream *a = NULL, *b = NULL;
    conf_array shape = {0};
    conf_diff_tensor tensor = {0};
    char path[256];
    bool same = true;
    double largest = 0;
    (void)snprintf(path, sizeof path, "/observed/trace/%s", name);
    assay_status rc = open_both(s, path, &a, &b, err);
    if (rc == ASSAY_OK && b) rc = compare_streams(s, a, b, &same, err);
    if (rc == ASSAY_OK && !same) rc = conf_diff_largest(s->d, a, false, &largest, err);
    if (rc == ASSAY_OK && !same) rc = conf_h5_shape(s->d->golden, path, &shape, err);
    if (rc == ASSAY_OK && !same) {
        bool wide = conf_stream_dtype(a) == ASSAY_F64 && v->compute == ASSAY_DTYPE_NONE;
        double limit = conf_compute_is_narrow(v->compute) ? UNJUDGED : wide ? 1 : CONF_NOISE_MULTIPLE;
        double unit = wide ? CONF_FLOAT64_BOUND * largest : conf_unit_float32(0, largest);
        rc = conf_diff_tensor_judge(s->d, a, b, unit, &tensor, err);
        if (rc == ASSAY_OK && tensor.worst.multiple > limit && !*diverges) {
            conf_evaluate_tensor_where(v, name, &shape, &tensor.worst, tensor.expected, tensor.found, limit);
            *diverges = true;
        }
    }
    conf_stream_close(a);
    conf_stream_close(b);
    return rc;
}

static bool holds(const conf_strings *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->at[i], name) == 0) return true;
    return false;
}

static assay_status diff_traces(pair_state *s, assay_error *err)
{
    conf_strings a = {0}, b = {0};
    bool diverges = false;
    assay_status rc = conf_h5_members(s->d->golden, "/observed/trace", &a, err);
    if (rc == ASSAY_OK) rc = conf_h5_members(s->d->observed, "/observed/trace", &b, err);
    for (size_t i = 0; i < a.n && rc == ASSAY_OK; i++) rc = diff_trace(s, a.at[i], &diverges, err);
    for (size_t i = 0; i < b.n && rc == ASSAY_OK; i++)
        if (!holds(&a, b.at[i])) rc = diff_trace(s, b.at[i], &diverges, err);
    if (rc == ASSAY_OK && diverges) conf_evaluate_fail_tensor(s->d->v);
    conf_strings_free(&a);
    conf_strings_free(&b);
    return rc;
}

assay_status conf_diff_pair(conf_diff_state *d, assay_error *err)
{
    pair_state s = {.d = d, .same = true, .j.worst.same_mask = true};
    (void)pthread_mutex_init(&s.mutex, NULL);
    assay_status rc = diff_logits(&s, err);
    if (rc == ASSAY_OK) rc = diff_tokens(&s, err);
    if (rc == ASSAY_OK) rc = diff_traces(&s, err);
    (void)pthread_mutex_destroy(&s.mutex);
    if (rc != ASSAY_OK || d->v->outcome == CONF_FAILED) return rc;
    if (s.n_members == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s and %s: neither has anything to compare below /observed",
                          conf_h5_path(d->golden), conf_h5_path(d->observed));
    if (s.same)
        conf_verdict_set(d->v, CONF_PASSED, "the same bit for bit: %zu members, %zu rows of logits",
                         s.n_members, s.n_rows);
    else if (conf_compute_is_narrow(d->v->compute))
        conf_verdict_set(
            d->v, CONF_SKIPPED,
            "not the same, and nothing is recorded of their noise in %s: compare each with its case",
            conf_compute_run(d->v->compute));
    else if (d->v->measured)
        conf_verdict_set(d->v, CONF_PASSED,
                         "not the same, but close: %.3g times %s, of which %.0f %s allowed", d->v->multiple,
                         d->v->float64 ? "the bound" : UNIT_WORDS, d->bounds.limit,
                         d->v->float64 ? "is" : "are");
    else
        conf_verdict_set(d->v, CONF_PASSED,
                         "not the same, but close: the tensors differ within their bounds");
    return rc;
}
