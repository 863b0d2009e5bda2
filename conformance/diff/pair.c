/* Compares two observations: bit-identical, or else their distance. No noise is recorded for them: for
 * float32 the unit is the smallest noise that the judge assumes. For narrower types no unit is known:
 * the distance is reported, not judged.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/pair.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/diff/members.h"
#include "conformance/diff/slab.h"
#include "conformance/diff/state.h"
#include "conformance/diff/tensors.h"
#include "conformance/evaluate/fail.h"
#include "conformance/evaluate/logits.h"
#include "conformance/evaluate/tensors.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"

#define UNIT_WORDS "16 ulps of the largest value"

typedef struct pair_state {
    conf_diff_state *d;
    pthread_mutex_t mutex;
    bool same; /* bit-identical so far */
    size_t n_members, n_rows;

    /* logits */
    size_t run, n_rows_before;
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

/* *same: bit-identical. */
static assay_status compare_streams(pair_state *s, conf_h5_rows *a, conf_h5_rows *b, bool *same,
                                    assay_error *err)
{
    conf_h5_rows *const streams[] = {a, b};
    bool before = s->same;
    s->same = true;
    assay_status rc = conf_slabs_walk(streams, 2, s->d->n_workers, compare_bits, s, err);
    *same = s->same;
    s->same = s->same && before;
    s->n_members++;
    return rc;
}

static void show_row(const pair_state *s, size_t number, const conf_place *place, const conf_row_measure *m,
                     const conf_row *a, const conf_row *b, size_t n)
{
    const conf_diff_state *d = s->d;
    d->watch->row(d->watch->context,
                  &(conf_diff_row){.number = number,
                                   .n_numbers = s->n_rows,
                                   .place = *place,
                                   .multiple = conf_row_multiple(&m->distance, &d->bounds),
                                   .error = m->distance.same_mask ? m->distance.max_abs : (double)INFINITY,
                                   .largest = d->largest,
                                   .bounds = &d->bounds,
                                   .truth = *a,
                                   .found = *b,
                                   .n_cols = n});
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
        const size_t number = s->n_rows_before + sample * slab->n_tokens + pos;
        const conf_place place = {.sample = sample, .decode = s->run == CONF_RUN_DECODE, .pos = pos};
        if (s->d->watch) show_row(s, number, &place, &m, &a, &b, slab->n_cols[0]);
        (void)pthread_mutex_lock(&s->mutex);
        if (conf_logits_add(&s->j, number, &m, &s->d->bounds)) {
            s->place = place;
            s->expected = conf_row_at(&a, s->j.col);
            s->found = conf_row_at(&b, s->j.col);
        }
        (void)pthread_mutex_unlock(&s->mutex);
    }
    return true;
}

static const char *const run_names[CONF_N_RUNS] = {"/observed/prefill", "/observed/decode"};
static const char tokens_name[] = "/observed/tokens";

/* Fails if exactly one of the two has the member. */
static assay_status check_member(const conf_diff_state *d, const char *name, assay_error *err)
{
    const conf_h5 *a = d->golden, *b = d->observed;
    const bool in_a = conf_h5_has(a, name), in_b = conf_h5_has(b, name);
    if (in_a == in_b) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s is missing, and %s has it", conf_h5_path(in_a ? b : a),
                      name, conf_h5_path(in_a ? a : b));
}

/* Fails if a has traces that b lacks. */
static assay_status check_traces(const conf_h5 *a, const conf_h5 *b, assay_error *err)
{
    conf_strings in_a = {0}, in_b = {0};
    char lacking[CONF_DIFF_NAMES_MAX];
    assay_status rc = conf_h5_members(a, "/observed/trace", &in_a, err);
    if (rc == ASSAY_OK) rc = conf_h5_members(b, "/observed/trace", &in_b, err);
    if (rc == ASSAY_OK && conf_diff_names_lacking(lacking, &in_a, &in_b) > 0)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: /observed/trace lacks %s, and %s has it", conf_h5_path(b),
                        lacking, conf_h5_path(a));
    conf_strings_free(&in_a);
    conf_strings_free(&in_b);
    return rc;
}

/* Fails unless the two observations have the same members in the compared parts. */
static assay_status check_members(const conf_diff_state *d, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < CONF_N_RUNS && rc == ASSAY_OK && d->parts & CONF_DIFF_LOGITS; i++)
        rc = check_member(d, run_names[i], err);
    if (rc == ASSAY_OK && d->parts & CONF_DIFF_TOKENS) rc = check_member(d, tokens_name, err);
    if (rc != ASSAY_OK || !(d->parts & CONF_DIFF_TRACES)) return rc;
    rc = check_traces(d->golden, d->observed, err);
    return rc == ASSAY_OK ? check_traces(d->observed, d->golden, err) : rc;
}

/* Opens the member in both files. On a mismatch *b stays NULL, and d->v has the reason. */
static assay_status open_both(pair_state *s, const char *name, conf_h5_rows **a, conf_h5_rows **b,
                              assay_error *err)
{
    conf_diff_state *d = s->d;
    conf_signature expected;
    bool fits = false;
    assay_status rc = conf_h5_rows_open_types(d->golden, name, CONF_H5_FLOATS, a, err);
    if (rc == ASSAY_OK) rc = conf_h5_signature(d->golden, name, &expected, err);
    if (rc == ASSAY_OK)
        rc = conf_diff_member_check(d, name, CONF_H5_TYPE(expected.dtype), expected.shape, &fits, err);
    return rc == ASSAY_OK && fits ? conf_h5_rows_open_types(d->observed, name, CONF_H5_FLOATS, b, err) : rc;
}

/* The unit uses the largest value of all logits, as for a golden. */
static assay_status judge_differing(pair_state *s, assay_error *err)
{
    conf_diff_state *d = s->d;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < CONF_N_RUNS && rc == ASSAY_OK; i++)
        if (d->runs[i].found) rc = conf_diff_largest(d, d->runs[i].truth, false, &d->largest, err);
    const conf_distance none = {.same_mask = true};
    d->bounds = d->v->float64 ? conf_bounds_relative(CONF_FLOAT64_BOUND, d->largest)
                              : conf_bounds_of_noise(&none, d->largest);
    if (conf_compute_is_narrow(d->v->compute)) d->bounds.limit = CONF_UNJUDGED;
    for (s->run = 0; s->run < CONF_N_RUNS && rc == ASSAY_OK; s->run++) {
        conf_h5_rows *const streams[] = {d->runs[s->run].truth, d->runs[s->run].found};
        if (!streams[1]) continue;
        rc = conf_slabs_walk(streams, 2, d->n_workers, judge_rows, s, err);
        s->n_rows_before += conf_h5_rows_shape(streams[0])[0] * conf_h5_rows_shape(streams[0])[1];
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
    conf_diff_state *d = s->d;
    assay_status rc = ASSAY_OK;
    bool all_same = true;
    for (size_t i = 0; i < CONF_N_RUNS && rc == ASSAY_OK; i++) {
        conf_diff_run *r = &d->runs[i];
        if (!conf_h5_has(d->golden, run_names[i])) continue;
        bool same = true;
        rc = open_both(s, run_names[i], &r->truth, &r->found, err);
        if (rc != ASSAY_OK || !r->found) continue;
        s->n_rows += conf_h5_rows_shape(r->truth)[0] * conf_h5_rows_shape(r->truth)[1];
        if (conf_h5_rows_dtype(r->truth) == ASSAY_F64 && d->v->compute == CONF_COMPUTE_NONE)
            d->v->float64 = true;
        rc = compare_streams(s, r->truth, r->found, &same, err);
        all_same = all_same && same;
    }
    return rc == ASSAY_OK && !all_same ? judge_differing(s, err) : rc;
}

/* Compares integers of any types exactly. Their sizes are limited by the memory for a file's small
 * members. */
static assay_status diff_tokens(pair_state *s, assay_error *err)
{
    const char *name = tokens_name;
    conf_diff_state *d = s->d;
    if (!conf_h5_has(d->golden, name)) return ASSAY_OK;
    conf_array a = {0}, b = {0};
    bool fits = false;
    assay_status rc = conf_h5_read_integers(d->golden, name, &a, err);
    char shape[96];
    conf_shape_print(shape, sizeof shape, a.shape, a.rank);
    if (rc == ASSAY_OK) rc = conf_diff_member_check(d, name, CONF_H5_INTEGERS, shape, &fits, err);
    if (rc == ASSAY_OK && fits) rc = conf_h5_read_integers(d->observed, name, &b, err);
    const int64_t *expected = a.data, *found = b.data;
    size_t i = 0, n = rc == ASSAY_OK && fits ? a.n : 0;
    while (i < n && expected[i] == found[i]) i++;
    if (i < n) {
        size_t m = a.rank > 0 ? a.shape[a.rank - 1] : 1;
        s->same = false;
        if (conf_evaluate_fail(d->v, CONF_CLASS_TOKENS, "a greedy token differs"))
            (void)snprintf(d->v->where, sizeof d->v->where,
                           "sample %zu, greedy step %zu: expected token %" PRId64 ", found token %" PRId64,
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
    conf_h5_rows *a = NULL, *b = NULL;
    conf_array shape = {0};
    conf_diff_tensor tensor = {0};
    char path[256];
    bool same = true;
    double largest = 0;
    (void)snprintf(path, sizeof path, "/observed/trace/%s", name);
    assay_status rc = open_both(s, path, &a, &b, err);
    if (rc == ASSAY_OK && b) rc = compare_streams(s, a, b, &same, err);
    if (rc == ASSAY_OK && !same) rc = conf_diff_largest(s->d, a, false, &largest, err);
    if (rc == ASSAY_OK && !same) rc = conf_h5_shape_types(s->d->golden, path, CONF_H5_FLOATS, &shape, err);
    const bool wide = rc == ASSAY_OK && conf_h5_rows_dtype(a) == ASSAY_F64 && v->compute == CONF_COMPUTE_NONE;
    const double limit = conf_compute_is_narrow(v->compute) ? CONF_UNJUDGED : conf_noise_limit(wide);
    conf_diff_traced seen = {.name = name, .limit = limit, .has_noise = wide};
    if (rc == ASSAY_OK && !same) {
        double unit = wide ? CONF_FLOAT64_BOUND * largest : conf_unit_float32(0, largest);
        rc = conf_diff_tensor_judge(s->d, a, b, unit, &tensor, err);
        seen.multiple = tensor.worst.multiple;
        seen.unit = unit;
        seen.largest = largest;
        if (rc == ASSAY_OK && tensor.worst.multiple > limit && !*diverges) {
            conf_evaluate_tensor_where(v, name, &shape, &tensor.worst, tensor.expected, tensor.found, limit,
                                       true);
            *diverges = true;
        }
    }
    if (rc == ASSAY_OK && b && s->d->watch) s->d->watch->tensor(s->d->watch->context, &seen);
    conf_h5_rows_close(a);
    conf_h5_rows_close(b);
    return rc;
}

static assay_status diff_traces(pair_state *s, assay_error *err)
{
    conf_strings names;
    bool diverges = false;
    assay_status rc = conf_h5_members(s->d->golden, "/observed/trace", &names, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < names.n && rc == ASSAY_OK; i++) rc = diff_trace(s, names.at[i], &diverges, err);
    if (rc == ASSAY_OK && diverges) conf_evaluate_fail_tensor(s->d->v);
    else if (rc == ASSAY_OK)
        (void)snprintf(s->d->v->trace, sizeof s->d->v->trace, "%zu of %zu tensors compared", names.n,
                       names.n);
    conf_strings_free(&names);
    return rc;
}

assay_status conf_diff_pair(conf_diff_state *d, assay_error *err)
{
    pair_state s = {.d = d, .same = true, .j.worst.same_mask = true};
    assay_status rc = check_members(d, err);
    if (rc != ASSAY_OK) return rc;
    (void)pthread_mutex_init(&s.mutex, NULL);
    if (d->parts & CONF_DIFF_LOGITS) rc = diff_logits(&s, err);
    if (rc == ASSAY_OK && d->parts & CONF_DIFF_TOKENS) rc = diff_tokens(&s, err);
    if (rc == ASSAY_OK && d->parts & CONF_DIFF_TRACES) rc = diff_traces(&s, err);
    (void)pthread_mutex_destroy(&s.mutex);
    if (rc != ASSAY_OK || d->v->outcome == CONF_FAILED) return rc;
    if (s.n_members == 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s and %s: neither has anything of what is to be compared "
                          "below /observed",
                          conf_h5_path(d->golden), conf_h5_path(d->observed));
    if (s.same)
        conf_verdict_set(d->v, CONF_PASSED, "bit-identical: %zu members, %zu rows of logits", s.n_members,
                         s.n_rows);
    else if (conf_compute_is_narrow(d->v->compute))
        conf_verdict_set(d->v, CONF_SKIPPED,
                         "not bit-identical, and no noise in %s is recorded: compare each with its case",
                         conf_compute_run(d->v->compute));
    else if (d->v->measured)
        conf_verdict_set(d->v, CONF_PASSED,
                         "not bit-identical, but close: %.3g times %s, of which %.0f %s allowed",
                         d->v->multiple, d->v->float64 ? "the bound" : UNIT_WORDS, d->bounds.limit,
                         d->v->float64 ? "is" : "are");
    else
        conf_verdict_set(d->v, CONF_PASSED,
                         "not bit-identical, but close: the tensors differ within their bounds");
    return rc;
}
