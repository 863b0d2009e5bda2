/* Compares logits of an observation with the golden's in two passes: the golden's own runs give the
 * bounds, then the observation is judged by them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/logits.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/case/run_noise.h"
#include "conformance/diff/members.h"
#include "conformance/diff/slab.h"
#include "conformance/diff/state.h"
#include "conformance/evaluate/fail.h"
#include "conformance/evaluate/logits.h"
#include "conformance/hdf5/text.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/fit.h"
#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"

/* A pass over prefill or decode. Rows of both are numbered in the judge's order: prefill sample by
 * sample and by position, then decode. */
typedef struct logits_walk {
    const conf_diff_state *d;
    size_t run;
    pthread_mutex_t mutex;

    conf_distance noise;
    double largest;
    size_t broken_row; /* the first invalid row of the golden; SIZE_MAX: none */
    assay_error broken;

    conf_logits_judgement j;
    conf_place place; /* of row j.row */
    double expected, found;
} logits_walk;

/* Gets the number of row i of a slab; false if it is padding. */
static bool number_row(const logits_walk *w, const conf_slab *slab, size_t i, size_t *number,
                       conf_place *place)
{
    const conf_decoder *d = &w->d->c->decoder;
    size_t sample, pos;
    conf_slab_place(slab, i, &sample, &pos);
    if (w->run == CONF_RUN_DECODE) {
        *number = d->n_samples * d->n_tokens + sample * d->n_decode + pos;
        *place = (conf_place){.sample = sample, .decode = true, .pos = pos};
        return true;
    }
    if (d->rows.n_listed) {
        *place = d->rows.listed[pos];
        *number = place->sample * d->n_tokens + place->pos;
        return true;
    }
    size_t padding = conf_prompt_padding(d, sample);
    *number = sample * d->n_tokens + pos;
    *place = (conf_place){.sample = sample, .pos = pos < padding ? pos : pos - padding};
    return pos >= padding;
}

static const char *run_name(size_t run)
{
    return run == CONF_RUN_DECODE ? "decode" : "prefill";
}

/* Fails if the truth has a NaN, or if the run that gives the noise is not finite where the truth is:
 * the noise, and every bound, would be infinite. */
static assay_status check_row(const logits_walk *w, const conf_place *place, const conf_row *truth,
                              const conf_row *noise, size_t n, assay_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double t = conf_row_at(truth, i), f = conf_row_at(noise, i);
        if (!isnan(t) && (isinf(t) ? f == t : isfinite(f))) continue;
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: /expect/%s/%s: sample %zu, position %zu, id %zu is %g where the truth is %g",
                          w->d->c->path, isnan(t) ? "truth" : conf_compute_run(w->d->v->compute),
                          run_name(w->run), place->sample, place->pos, i, isnan(t) ? t : f, t);
    }
    return ASSAY_OK;
}

static assay_status check_padding(const logits_walk *w, const conf_place *place, const conf_row *truth,
                                  const conf_row *noise, size_t n, assay_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double t = conf_row_at(truth, i), f = conf_row_at(noise, i);
        if (isnan(t) && isnan(f)) continue;
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: /expect/%s/prefill: sample %zu, column %zu of its padding is %g, expected NaN",
                          w->d->c->path, isnan(t) ? conf_compute_run(w->d->v->compute) : "truth",
                          place->sample, place->pos, isnan(t) ? f : t);
    }
    return ASSAY_OK;
}

static bool note_broken(logits_walk *w, size_t number, const assay_error *err)
{
    (void)pthread_mutex_lock(&w->mutex);
    if (number < w->broken_row) {
        w->broken_row = number;
        w->broken = *err;
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return false;
}

/* conf_slab_fn: measures the noise between the truth and the run in the candidate's type, and checks
 * the golden. */
static bool measure_noise(void *context, const conf_slab *slab, size_t from, size_t to)
{
    logits_walk *w = context;
    size_t n = slab->n_cols[0];
    conf_distance noise = {.same_mask = true};
    double largest = 0;
    for (size_t i = from; i < to; i++) {
        size_t number;
        conf_place place;
        conf_row truth = conf_slab_row(slab, 0, i), run = conf_slab_row(slab, 1, i);
        bool counts = number_row(w, slab, i, &number, &place);
        assay_error err;
        assay_status rc = counts ? check_row(w, &place, &truth, &run, n, &err)
                                 : check_padding(w, &place, &truth, &run, n, &err);
        if (rc != ASSAY_OK) return note_broken(w, number, &err);
        if (!counts) continue;
        conf_distance of_row = conf_row_distance(&truth, &run, n);
        conf_distance_keep_larger(&noise, &of_row);
        largest = fmax(largest, conf_row_max_abs(&truth, n));
    }
    (void)pthread_mutex_lock(&w->mutex);
    conf_distance_keep_larger(&w->noise, &noise);
    w->largest = fmax(w->largest, largest);
    (void)pthread_mutex_unlock(&w->mutex);
    return true;
}

static void show_row(const logits_walk *w, const conf_slab *slab, size_t i, size_t number,
                     const conf_place *place, const conf_row_measure *m)
{
    const conf_diff_state *d = w->d;
    const conf_decoder *c = &d->c->decoder;
    conf_diff_row row = {.number = number,
                         .n_numbers = c->n_samples * (c->n_tokens + c->n_decode),
                         .place = *place,
                         .multiple = conf_row_multiple(&m->distance, &d->bounds),
                         .error = m->distance.same_mask ? m->distance.max_abs : (double)INFINITY,
                         .largest = d->largest,
                         .bounds = &d->bounds,
                         .truth = conf_slab_row(slab, 0, i),
                         .found = conf_slab_row(slab, 1, i),
                         .n_cols = slab->n_cols[0]};
    if (slab->n_streams > 2) row.run = conf_slab_row(slab, 2, i);
    d->watch->row(d->watch->context, &row);
}

/* conf_slab_fn: judges the observed rows. */
static bool judge_rows(void *context, const conf_slab *slab, size_t from, size_t to)
{
    logits_walk *w = context;
    for (size_t i = from; i < to; i++) {
        size_t number;
        conf_place place;
        if (!number_row(w, slab, i, &number, &place)) continue;
        conf_row truth = conf_slab_row(slab, 0, i), found = conf_slab_row(slab, 1, i);
        conf_row_measure m = conf_row_measure_of(&truth, &found, slab->n_cols[0]);
        if (w->d->watch) show_row(w, slab, i, number, &place, &m);
        (void)pthread_mutex_lock(&w->mutex);
        if (conf_logits_add(&w->j, number, &m, &w->d->bounds)) {
            w->place = place;
            w->expected = conf_row_at(&truth, w->j.col);
            w->found = conf_row_at(&found, w->j.col);
        }
        (void)pthread_mutex_unlock(&w->mutex);
    }
    return true;
}

/* Sets the shape of a run's datasets, and returns its rank. */
static size_t run_shape(const conf_decoder *c, size_t run, size_t shape[3])
{
    if (run == CONF_RUN_PREFILL) return conf_prefill_shape(c, c->rows.n_cols, shape);
    shape[0] = c->n_samples;
    shape[1] = c->n_decode;
    shape[2] = c->rows.n_cols;
    return 3;
}

/* Opens a run of the golden and checks its type and shape. */
static assay_status open_recorded(const conf_diff_state *d, const char *group, size_t run, conf_h5_rows **out,
                                  assay_error *err)
{
    const conf_decoder *c = &d->c->decoder;
    size_t shape[3], rank = run_shape(c, run, shape);
    const char *type = strcmp(group, "truth") == 0 ? "F64" : "F32";
    char name[64], expected[96];
    conf_signature found;
    (void)snprintf(name, sizeof name, "/expect/%s/%s", group, run_name(run));
    conf_shape_print(expected, sizeof expected, shape, rank);
    assay_status rc = conf_h5_signature(d->golden, name, &found, err);
    if (rc != ASSAY_OK) return rc;
    if (strcmp(found.type, type) != 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has type %s, expected %s", d->c->path, name, found.type,
                          type);
    if (strcmp(found.shape, expected) != 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has shape %s, expected %s", d->c->path, name,
                          found.shape, expected);
    return conf_h5_rows_open(d->golden, name, out, err);
}

/* Opens the observed logits if their type and shape fit; decode must have the type of prefill. Unjudged
 * logits may be missing or of another shape. */
static assay_status open_observed(conf_diff_state *d, size_t run, assay_error *err)
{
    const bool after_prefill = d->runs[CONF_RUN_PREFILL].found;
    char name[32], shape[96], mismatch[CONF_TEXT_MAX];
    conf_signature observed;
    (void)snprintf(name, sizeof name, "/observed/%s", run_name(run));
    const bool judged = d->parts & CONF_DIFF_LOGITS;
    if (!judged && !conf_h5_has(d->observed, name)) return ASSAY_OK;
    size_t lengths[3], rank = run_shape(&d->c->decoder, run, lengths);
    conf_shape_print(shape, sizeof shape, lengths, rank);
    assay_status rc = conf_diff_member_compare(
        d, name, after_prefill ? CONF_H5_TYPE(d->stored) : CONF_H5_FLOATS, shape, mismatch, err);
    if (rc == ASSAY_OK && mismatch[0] && judged)
        (void)conf_evaluate_fail(d->v, CONF_CLASS_SHAPE, "%s", mismatch);
    if (rc != ASSAY_OK || mismatch[0]) return rc;
    rc = conf_h5_signature(d->observed, name, &observed, err);
    if (rc == ASSAY_OK)
        rc = conf_h5_rows_open_types(d->observed, name, CONF_H5_FLOATS, &d->runs[run].found, err);
    if (rc != ASSAY_OK) return rc;
    d->stored = observed.dtype;
    d->v->float64 = d->stored == ASSAY_F64 && d->v->compute == CONF_COMPUTE_NONE;
    return ASSAY_OK;
}

/* Measures the golden's runs and sets the bounds. */
static assay_status find_bounds(conf_diff_state *d, assay_error *err)
{
    logits_walk w = {.d = d, .noise.same_mask = true, .broken_row = SIZE_MAX};
    assay_status rc = ASSAY_OK;
    (void)pthread_mutex_init(&w.mutex, NULL);
    for (w.run = 0; w.run < CONF_N_RUNS && rc == ASSAY_OK; w.run++) {
        conf_diff_run *r = &d->runs[w.run];
        conf_h5_rows *const streams[] = {r->truth, r->noise};
        if (r->truth) rc = conf_slabs_walk(streams, 2, d->n_workers, measure_noise, &w, err);
        if (rc == ASSAY_OK && w.broken_row != SIZE_MAX)
            rc = assay_fail(err, ASSAY_EFORMAT, "%s", w.broken.text);
    }
    (void)pthread_mutex_destroy(&w.mutex);
    if (rc == ASSAY_OK && d->stored_noise) {
        rc = conf_run_noise_read(d->golden, d->v->compute, &w.noise, err);
    } else if (rc == ASSAY_OK) {
        char run[64];
        (void)snprintf(run, sizeof run, "/expect/%s", conf_compute_run(d->v->compute));
        rc = conf_noise_check(d->c->path, run, w.noise.max_abs, w.largest,
                              conf_noise_max(d->v->compute, w.largest), err);
    }
    if (rc == ASSAY_OK) rc = conf_truth_check(d->c->path, w.largest, err);
    d->largest = w.largest;
    d->bounds = d->v->float64 ? conf_bounds_relative(d->c->float64_bound, w.largest)
                              : conf_bounds_of_noise(&w.noise, w.largest);
    return rc;
}

static assay_status judge_runs(conf_diff_state *d, logits_walk *w, size_t *n_rows, assay_error *err)
{
    const conf_decoder *c = &d->c->decoder;
    size_t n_decode = c->n_samples * c->n_decode;
    assay_status rc = ASSAY_OK;
    for (w->run = 0; w->run < CONF_N_RUNS && rc == ASSAY_OK; w->run++) {
        conf_diff_run *r = &d->runs[w->run];
        conf_h5_rows *const streams[] = {r->truth, r->found, r->noise};
        const size_t n_streams = d->watch && !d->v->float64 && !d->stored_noise ? 3 : 2;
        if (!r->found) continue;
        *n_rows += w->run == CONF_RUN_DECODE ? n_decode : c->rows.n_rows - n_decode;
        rc = conf_slabs_walk(streams, n_streams, d->n_workers, judge_rows, w, err);
    }
    conf_logits_end(&w->j, &d->bounds);
    return rc;
}

/* The group to measure the noise from: a run without logits has only its noise, and the truth stands in for
 * them. */
static const char *name_of_run(const conf_diff_state *d)
{
    return d->stored_noise ? "truth" : conf_compute_run(d->v->compute);
}

static assay_status open_runs(conf_diff_state *d, assay_error *err)
{
    d->stored_noise = conf_run_noise_has(d->golden, d->v->compute);
    assay_status rc = ASSAY_OK;
    for (size_t run = 0; run < CONF_N_RUNS && rc == ASSAY_OK; run++) {
        if (run == CONF_RUN_DECODE && d->c->decoder.n_decode == 0) break;
        rc = open_recorded(d, "truth", run, &d->runs[run].truth, err);
        if (rc == ASSAY_OK) rc = open_recorded(d, name_of_run(d), run, &d->runs[run].noise, err);
    }
    for (size_t run = 0; run < CONF_N_RUNS && rc == ASSAY_OK; run++)
        if (d->runs[run].truth) rc = open_observed(d, run, err);
    return rc;
}

assay_status conf_diff_open(conf_diff_state *d, assay_error *err)
{
    d->bounds.limit = CONF_NOISE_MULTIPLE;
    if (!d->c->decoder.has_truth) return ASSAY_OK;
    assay_status rc = open_runs(d, err);
    bool bounded = d->parts & (CONF_DIFF_LOGITS | CONF_DIFF_TOKENS);
    return rc == ASSAY_OK && bounded ? find_bounds(d, err) : rc;
}

/* Measures the noise of a recorded run other than the one that judges. */
static assay_status measure_other(conf_diff_state *d, conf_compute compute, conf_distance *out,
                                  assay_error *err)
{
    if (conf_run_noise_has(d->golden, compute)) return conf_run_noise_read(d->golden, compute, out, err);
    logits_walk w = {.d = d, .noise.same_mask = true, .broken_row = SIZE_MAX};
    assay_status rc = ASSAY_OK;
    (void)pthread_mutex_init(&w.mutex, NULL);
    for (w.run = 0; w.run < CONF_N_RUNS && d->runs[w.run].truth && rc == ASSAY_OK; w.run++) {
        conf_h5_rows *rows = NULL;
        rc = open_recorded(d, conf_compute_run(compute), w.run, &rows, err);
        conf_h5_rows *const streams[] = {d->runs[w.run].truth, rows};
        if (rc == ASSAY_OK) rc = conf_slabs_walk(streams, 2, d->n_workers, measure_noise, &w, err);
        if (rc == ASSAY_OK && w.broken_row != SIZE_MAX)
            rc = assay_fail(err, ASSAY_EFORMAT, "%s", w.broken.text);
        conf_h5_rows_close(rows);
    }
    (void)pthread_mutex_destroy(&w.mutex);
    *out = w.noise;
    return rc;
}

/* Names the recorded compute type that would explain the errors. */
static assay_status state_fit(conf_diff_state *d, const conf_logits_judgement *j, assay_error *err)
{
    conf_strings names = {0};
    conf_fit best = {0};
    assay_status rc = conf_h5_members(d->golden, "/expect", &names, err);
    for (size_t i = 0; i < names.n && rc == ASSAY_OK; i++) {
        const conf_compute compute = conf_compute_of_run(names.at[i]);
        conf_distance noise;
        if (compute == CONF_COMPUTE_NONE) continue;
        rc = measure_other(d, compute, &noise, err);
        if (rc == ASSAY_OK) conf_fit_consider(&best, compute, &j->worst, &noise, d->largest);
    }
    conf_strings_free(&names);
    conf_fit_state(d->v, j->multiple, &best);
    return rc;
}

assay_status conf_diff_logits(conf_diff_state *d, assay_error *err)
{
    logits_walk w = {.d = d, .j.worst.same_mask = true};
    size_t n_rows = 0;
    (void)pthread_mutex_init(&w.mutex, NULL);
    assay_status rc = judge_runs(d, &w, &n_rows, err);
    (void)pthread_mutex_destroy(&w.mutex);
    if (rc != ASSAY_OK || n_rows == 0) return rc;
    const conf_allowance allowance = {.relative = d->c->float64_bound,
                                      .unit = conf_compute_unit(d->v->compute)};
    bool failed_before = d->v->outcome == CONF_FAILED;
    if (!conf_evaluate_measures(d->v, &w.j, &d->bounds, n_rows, &allowance)) {
        conf_evaluate_where(d->v, &w.place, w.j.col, w.expected, w.found);
        if (w.j.rule != CONF_RULE_MASK) rc = state_fit(d, &w.j, err);
        if (dtype_size(d->stored) < sizeof(float) && !conf_compute_is_narrow(d->v->compute))
            conf_verdict_note(
                d->v,
                "the logits are stored as %s, which is coarser than the noise of float32: --compute "
                "bf16 judges by the noise in bfloat16",
                dtype_name(d->stored));
    } else if (!failed_before)
        conf_verdict_set(
            d->v, CONF_PASSED, "%zu rows of %zu logits in %s agree: %.3g times %s, of which %.0f %s allowed",
            n_rows, d->c->decoder.rows.n_cols, d->v->float64 ? "float64" : conf_compute_run(d->v->compute),
            w.j.multiple, d->v->float64 ? "the bound" : allowance.unit, d->bounds.limit,
            d->v->float64 ? "is" : "are");
    return rc;
}
