/* Tensors on the way: element by element, in two walks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "conformance/case_parts.h"
#include "conformance/diff_parts.h"
#include "conformance/evaluate_parts.h"
#include "conformance/slab.h"
#include "model/error.h"

typedef struct tensor_walk {
    pthread_mutex_t mutex;
    double unit;
    double largest;
    size_t not_finite; /* the first such element; SIZE_MAX: none */
    double value;      /* there */
    conf_diff_tensor *out;
} tensor_walk;

/* The number of row i's first element in the whole tensor. */
static size_t element_of(const conf_slab *slab, size_t i)
{
    size_t sample, pos;
    conf_slab_place(slab, i, &sample, &pos);
    return (sample * slab->n_tokens + pos) * slab->n_cols[0];
}

static bool find_largest(void *context, const conf_slab *slab, size_t from, size_t to)
{
    tensor_walk *w = context;
    double largest = 0;
    for (size_t i = from; i < to; i++) {
        conf_row row = conf_slab_row(slab, 0, i);
        largest = fmax(largest, conf_row_max_abs(&row, slab->n_cols[0]));
        for (size_t k = 0; k < slab->n_cols[0]; k++) {
            if (isfinite(conf_row_at(&row, k))) continue;
            (void)pthread_mutex_lock(&w->mutex);
            if (element_of(slab, i) + k < w->not_finite) {
                w->not_finite = element_of(slab, i) + k;
                w->value = conf_row_at(&row, k);
            }
            (void)pthread_mutex_unlock(&w->mutex);
            break;
        }
    }
    (void)pthread_mutex_lock(&w->mutex);
    w->largest = fmax(w->largest, largest);
    (void)pthread_mutex_unlock(&w->mutex);
    return true;
}

assay_status conf_diff_largest(const conf_diff_state *d, conf_stream *s, bool finite, double *largest,
                               assay_error *err)
{
    tensor_walk w = {.largest = *largest, .not_finite = SIZE_MAX};
    (void)pthread_mutex_init(&w.mutex, NULL);
    assay_status rc = conf_slabs_walk(&s, 1, d->n_workers, find_largest, &w, err);
    (void)pthread_mutex_destroy(&w.mutex);
    if (rc == ASSAY_OK && finite && w.not_finite != SIZE_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %g", conf_stream_path(s),
                          conf_stream_name(s), w.not_finite, w.value);
    if (rc == ASSAY_OK) *largest = w.largest;
    return rc;
}

static bool judge_elements(void *context, const conf_slab *slab, size_t from, size_t to)
{
    tensor_walk *w = context;
    for (size_t i = from; i < to; i++) {
        conf_row truth = conf_slab_row(slab, 0, i), found = conf_slab_row(slab, 1, i);
        conf_tensor_judgement j = conf_row_judge(&truth, &found, slab->n_cols[0], w->unit);
        if (j.multiple == 0) continue;
        double expected = conf_row_at(&truth, j.at), got = conf_row_at(&found, j.at);
        j.at += element_of(slab, i);
        (void)pthread_mutex_lock(&w->mutex);
        const conf_tensor_judgement *worst = &w->out->worst;
        if (j.multiple > worst->multiple || (!(j.multiple < worst->multiple) && j.at < worst->at))
            *w->out = (conf_diff_tensor){.worst = j, .expected = expected, .found = got};
        (void)pthread_mutex_unlock(&w->mutex);
    }
    return true;
}

assay_status conf_diff_tensor_judge(const conf_diff_state *d, conf_stream *truth, conf_stream *found,
                                    double unit, conf_diff_tensor *out, assay_error *err)
{
    conf_diff_tensor tensor = {0};
    tensor_walk w = {.unit = unit, .out = &tensor};
    conf_stream *const streams[] = {truth, found};
    (void)pthread_mutex_init(&w.mutex, NULL);
    assay_status rc = conf_slabs_walk(streams, 2, d->n_workers, judge_elements, &w, err);
    (void)pthread_mutex_destroy(&w.mutex);
    if (rc == ASSAY_OK) *out = tensor;
    return rc;
}

/* One recorded tensor and what was observed of it. */
typedef struct trace {
    conf_trace golden; /* its shape, without data */
    conf_stream *truth, *found;
    bool fits;
} trace;

static assay_status open_trace(const conf_diff_state *d, const char *name, trace *t, assay_error *err)
{
    char recorded[256], observed[256];
    (void)snprintf(recorded, sizeof recorded, "/trace/%s", name);
    (void)snprintf(observed, sizeof observed, "/observed/trace/%s", name);
    assay_status rc = conf_h5_shape(d->golden, recorded, &t->golden.value, err);
    if (rc == ASSAY_OK) rc = conf_trace_noise_read(d->golden, recorded, &t->golden, err);
    if (rc == ASSAY_OK) rc = conf_stream_open(d->golden, recorded, &t->truth, err);
    if (rc != ASSAY_OK) return rc;
    conf_verdict ignored = {0};
    conf_diff_state quiet = *d;
    quiet.v = &ignored;
    rc = conf_diff_member_check(&quiet, observed, conf_diff_float_types, t->golden.value.rank,
                                t->golden.value.shape, &t->fits, err);
    if (rc == ASSAY_OK && t->fits) rc = conf_stream_open(d->observed, observed, &t->found, err);
    if (rc == ASSAY_OK && !t->fits)
        (void)snprintf(d->v->trace, sizeof d->v->trace,
                       "%s: its type or its shape is not the recorded one (%.400s)", name, ignored.reason);
    return rc;
}

/* As of a replayed engine: conf_evaluate_traces. *diverges: it is out of bounds, and d->v->trace names it. */
static assay_status judge_trace(const conf_diff_state *d, const char *name, bool *diverges, assay_error *err)
{
    conf_verdict *v = d->v;
    trace t = {0};
    conf_diff_tensor tensor = {0};
    double largest = 0, limit = v->float64 ? 1 : CONF_NOISE_MULTIPLE;
    assay_status rc = open_trace(d, name, &t, err);
    bool has_noise = conf_tensor_has_noise(&t.golden, v->compute);
    bool judged = v->float64 || has_noise || v->outcome == CONF_FAILED;
    if (rc == ASSAY_OK) rc = conf_diff_largest(d, t.truth, true, &largest, err);
    double guess = d->largest > 0 ? d->bounds.max_abs / d->largest * largest : 0;
    double unit = v->float64 ? d->c->float64_bound * largest
                             : conf_unit_float32(has_noise ? t.golden.noise : guess, largest);
    if (rc == ASSAY_OK && t.found && judged)
        rc = conf_diff_tensor_judge(d, t.truth, t.found, unit, &tensor, err);
    if (rc == ASSAY_OK && t.found && tensor.worst.multiple > limit) {
        conf_evaluate_tensor_where(v, name, &t.golden.value, &tensor.worst, tensor.expected, tensor.found,
                                   limit);
        *diverges = true;
    }
    if (rc == ASSAY_OK && !t.fits) *diverges = true;
    conf_stream_close(t.truth);
    conf_stream_close(t.found);
    return rc;
}

assay_status conf_diff_traces(conf_diff_state *d, assay_error *err)
{
    conf_strings names;
    assay_status rc = conf_h5_members(d->golden, "/trace", &names, err);
    if (rc != ASSAY_OK) return rc;
    size_t n_compared = 0;
    bool diverges = false;
    for (size_t i = 0; i < names.n && rc == ASSAY_OK; i++) {
        char observed[256];
        (void)snprintf(observed, sizeof observed, "/observed/trace/%s", names.at[i]);
        if (!conf_h5_has(d->observed, observed)) continue;
        n_compared++;
        if (!diverges) rc = judge_trace(d, names.at[i], &diverges, err);
    }
    if (rc == ASSAY_OK && names.n > 0)
        conf_verdict_note(d->v, "%zu of %zu recorded tensors compared", n_compared, names.n);
    if (rc == ASSAY_OK && diverges) conf_evaluate_fail_tensor(d->v);
    else if (rc == ASSAY_OK && d->v->outcome == CONF_FAILED && n_compared > 0)
        (void)snprintf(d->v->trace, sizeof d->v->trace,
                       "none of the %zu that were compared (sample 0, prefill)", n_compared);
    conf_strings_free(&names);
    return rc;
}
