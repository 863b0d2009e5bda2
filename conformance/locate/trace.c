/* Callbacks that compare the tensors of a walk, one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/shown.h"
#include "conformance/evaluate/tensor_file.h"
#include "conformance/evaluate/tensors.h"
#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"
#include "conformance/locate/location.h"
#include "conformance/locate/recorded.h"
#include "conformance/replay/trace.h"

void conf_walker_fail(conf_walker *w, assay_status rc)
{
    if (rc != ASSAY_OK) w->failed = true;
}

conf_walk_row *conf_walker_row(conf_walker *w, const char *name)
{
    for (size_t i = 0; i < w->walk->n_rows; i++)
        if (strcmp(w->walk->rows[i].name, name) == 0) return &w->walk->rows[i];
    return NULL;
}

/* Adds a row. NULL if it exists already, or if the table is full. */
static conf_walk_row *add_row(conf_walker *w, const char *name)
{
    char clean[CONF_TRACE_NAME_MAX];
    (void)snprintf(clean, sizeof clean, "%s", name);
    shown_clean(clean, sizeof clean);
    if (conf_walker_row(w, clean) || w->walk->n_rows == CONF_WALK_ROWS_MAX) return NULL;
    conf_walk_row *row = &w->walk->rows[w->walk->n_rows];
    *row = (conf_walk_row){.local_error = (double)NAN};
    memcpy(row->name, clean, sizeof clean);
    w->walk->n_rows++;
    return row;
}

/* The error of found[n] in multiples of what the golden tensor allows an engine of this width. */
static conf_tensor_judgement judge_trace(const conf_walker *w, const conf_trace *golden, const double *truth,
                                         const double *found, bool float64)
{
    conf_tensor_judgement j = conf_tensor_judge(
        truth, found, golden->value.n, conf_tensor_unit(w->c, float64, w->task->location->compute, golden));
    j.multiple /= conf_noise_limit(float64);
    return j;
}

bool conf_walker_golden(conf_walker *w, const conf_trace *trace, conf_trace *out)
{
    conf_trace t = *trace;
    conf_walker_fail(w, conf_tensors_get(w->golden, trace, &t.value, &w->err));
    if (w->failed) return false;
    *out = t;
    return true;
}

static double *widen_tensor(conf_walker *w, const assay_tensor *tensor, size_t n)
{
    double *wide = malloc((n ? n : 1) * sizeof *wide);
    if (wide) dtype_to_f64(wide, tensor->data, tensor->dtype, n);
    else conf_walker_fail(w, assay_fail(&w->err, ASSAY_ENOMEM, "%.100s: out of memory", tensor->name));
    return wide;
}

/* Fills in what the candidate computed. found NULL: of another type or shape. */
static void judge_computed(conf_walker *w, conf_walk_row *row, const conf_trace *golden, const double *found)
{
    if (!found) {
        row->computed = INFINITY;
        (void)snprintf(row->what, sizeof row->what, ": its type or its shape is not the recorded one");
        return;
    }
    const double *truth = golden->value.data;
    conf_tensor_judgement j = judge_trace(w, golden, truth, found, w->float64);
    row->computed = j.multiple;
    if (j.multiple <= 1) return;
    char at[96];
    conf_tensor_print_index(at, sizeof at, &golden->value, j.at);
    int digits = w->float64 ? 17 : 9;
    (void)snprintf(row->what, sizeof row->what, "%s: expected %.*g, found %.*g", at, digits, truth[j.at],
                   digits, found[j.at]);
}

/* The golden tensor with which a callback compares this tensor, or NULL; notes the tensor as the last
 * one. */
static const conf_trace *find_golden(conf_walker *w, size_t sample, const assay_tensor *tensor)
{
    if (!tensor->name) return NULL;
    (void)snprintf(w->running->last_trace, sizeof w->running->last_trace, "%s", tensor->name);
    return sample == 0 && !w->failed ? conf_tensors_find(w->golden, tensor->name) : NULL;
}

void conf_trace_engine(conf_walker *w, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)data;
    w->walk->gives_traces = true;
    const conf_trace *trace = find_golden(w, sample, tensor);
    conf_walk_row *row = trace ? add_row(w, tensor->name) : NULL;
    conf_trace golden;
    if (!row) return;
    if (!tensor->data || !conf_tensor_has_shape(tensor, &trace->value)) {
        judge_computed(w, row, trace, NULL);
        return;
    }
    if (w->found) conf_walker_fail(w, conf_tensors_put(w->found, tensor, &w->err));
    if (!conf_walker_golden(w, trace, &golden)) return;
    double *found = widen_tensor(w, tensor, golden.value.n);
    if (found) judge_computed(w, row, &golden, found);
    free(found);
    conf_array_free(&golden.value);
}

void conf_override_engine(conf_walker *w, size_t sample, const assay_tensor *tensor, void *data)
{
    const conf_trace *trace = find_golden(w, sample, tensor);
    conf_walk_row *row = trace ? conf_walker_row(w, tensor->name) : NULL;
    conf_trace golden;
    if (!row || !data || !isnan(row->local_error)) return;
    if (!conf_tensor_has_shape(tensor, &trace->value)) {
        row->local_error = INFINITY;
        return;
    }
    if (!conf_walker_golden(w, trace, &golden)) return;
    assay_tensor live = *tensor;
    live.data = data;
    double *found = widen_tensor(w, &live, golden.value.n);
    if (found) {
        row->local_error = judge_trace(w, &golden, golden.value.data, found, w->float64).multiple;
        dtype_from_f64(data, golden.value.data, tensor->dtype, golden.value.n);
        w->walk->overridden = true;
    }
    free(found);
    conf_array_free(&golden.value);
}

void conf_walker_judge_observed(conf_walker *w, const conf_trace *golden)
{
    const conf_trace *seen = w->task->location->observed ? conf_tensors_find(w->found, golden->name) : NULL;
    conf_walk_row *row = seen ? add_row(w, golden->name) : NULL;
    if (!row) return;
    const assay_tensor shape = {.dtype = seen->value.dtype, .rank = golden->value.rank};
    bool same = dtype_is_float(shape.dtype) && seen->value.rank == golden->value.rank;
    for (size_t i = 0; same && i < shape.rank; i++) same = seen->value.shape[i] == golden->value.shape[i];
    conf_array found = {0};
    if (same) conf_walker_fail(w, conf_tensors_get(w->found, seen, &found, &w->err));
    if (!w->failed) judge_computed(w, row, golden, found.data);
    conf_array_free(&found);
}

void conf_check_reference(conf_walker *w, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)data;
    const conf_trace *trace = find_golden(w, sample, tensor);
    conf_trace golden;
    if (!trace || !conf_tensor_has_shape(tensor, &trace->value) || !conf_walker_golden(w, trace, &golden))
        return;
    double *computed = widen_tensor(w, tensor, golden.value.n);
    if (computed) {
        conf_tensor_judgement j = judge_trace(w, &golden, golden.value.data, computed, true);
        if (j.multiple > 1 && !w->walk->reference[0])
            (void)snprintf(w->walk->reference, sizeof w->walk->reference,
                           "the reference itself is %.2g times its bound away from the recorded %.100s",
                           j.multiple, tensor->name);
        conf_walker_judge_observed(w, &golden);
    }
    free(computed);
    conf_array_free(&golden.value);
}

void conf_store_reference(conf_walker *w, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)data;
    (void)find_golden(w, sample, tensor);
    if (sample == 0 && tensor->name && !w->failed)
        conf_walker_fail(w, conf_tensors_put(w->golden, tensor, &w->err));
}

void conf_override_reference(conf_walker *w, size_t sample, const assay_tensor *tensor, void *data)
{
    const conf_trace *trace = find_golden(w, sample, tensor);
    const conf_trace *seen = trace ? conf_tensors_find(w->found, tensor->name) : NULL;
    conf_walk_row *row = seen ? conf_walker_row(w, tensor->name) : NULL;
    conf_trace golden;
    conf_array found = {0};
    if (!row || !isnan(row->local_error) || !conf_tensor_has_shape(tensor, &trace->value)) return;
    if (seen->value.n != trace->value.n || !conf_walker_golden(w, trace, &golden)) {
        row->local_error = INFINITY;
        return;
    }
    conf_walker_fail(w, conf_tensors_get(w->found, seen, &found, &w->err));
    assay_tensor live = *tensor;
    live.data = data;
    double *made = w->failed ? NULL : widen_tensor(w, &live, golden.value.n);
    if (made) {
        row->local_error = judge_trace(w, &golden, made, found.data, w->float64).multiple;
        dtype_from_f64(data, found.data, tensor->dtype, golden.value.n);
        w->walk->overridden = true;
    }
    free(made);
    conf_array_free(&found);
    conf_array_free(&golden.value);
}

void conf_walker_judge_last(conf_walker *w, const double *truth, const double *found, bool own)
{
    if (!truth || !found) return;
    conf_logits_judgement j = conf_recorded_judge(w, truth, found);
    conf_walk_row *row = own ? conf_walker_row(w, "logits") : add_row(w, "logits");
    if (!row) return;
    double multiple = j.multiple / w->bounds.limit;
    if (own) row->local_error = multiple;
    else row->computed = multiple;
    if (own || j.rule == CONF_RULE_NONE) return;
    int digits = w->float64 ? 17 : 9;
    size_t at = j.row * w->vocab + j.col;
    (void)snprintf(row->what, sizeof row->what, "[%zu,%zu]: expected %.*g, found %.*g", j.row, j.col, digits,
                   truth[at], digits, found[at]);
}
