/* Compares the tensors of one sample: as computed, then each from golden inputs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/locate/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/abi/engine.h"
#include "conformance/case/observation.h"
#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/evaluate/judgeable.h"
#include "conformance/evaluate/load.h"
#include "conformance/evaluate/logits.h"
#include "conformance/evaluate/reference.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/evaluate/tensor_file.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/locate/drive.h"
#include "conformance/locate/location.h"
#include "conformance/locate/recorded.h"
#include "conformance/locate/replay.h"
#include "conformance/locate/trace.h"
#include "conformance/replay/state.h"
#include "model/loader.h"
#include "model/plan/plan.h"

static void begin_pass(conf_walker *w, conf_pass pass)
{
    static const char *const names[] = {[CONF_PASS_REFERENCE] = "the expected tensors",
                                        [CONF_PASS_COMPUTED] = "the tensors as computed",
                                        [CONF_PASS_OWN] = "each tensor from the expected inputs"};
    w->walk->pass = pass;
    if (w->task->steps) conf_steps_show(w->task->steps, names[pass]);
}

/* Runs the reference. If it fails, the walk continues without its results. */
static bool run_reference(conf_walker *w, conf_walker_fn *fn, double **logits)
{
    conf_verdict v = {0};
    const conf_drive d = {.engine = w->reference, .verdict = &v, .single = true, .fn = fn, .logits = logits};
    if (!w->reference) return false;
    if (conf_drive_run(w, &d)) return true;
    if (!w->walk->reference[0])
        (void)snprintf(w->walk->reference, sizeof w->walk->reference, "the reference cannot run this: %.400s",
                       v.reason);
    return false;
}

/* The engine with the batch as recorded, or with the one sample. */
static conf_drive drive_engine(conf_walker *w, conf_walker_fn *fn, double **logits)
{
    return (conf_drive){.engine = w->engine,
                        .compute = w->verdict->compute,
                        .kernels = w->kernels,
                        .verdict = w->verdict,
                        .single = w->task->sequence != NULL,
                        .fn = fn,
                        .logits = logits};
}

static bool takes_golden(const assay_engine *engine)
{
    return engine && engine->tap && engine->taps_can_write;
}

/* Computes each tensor from golden inputs. */
static void walk_from_golden(conf_walker *w)
{
    double *logits = NULL;
    begin_pass(w, CONF_PASS_OWN);
    if (takes_golden(w->engine)) {
        conf_verdict v = *w->verdict;
        const conf_drive d = drive_engine(w, conf_override_engine, &logits);
        bool ok = conf_drive_run(w, &d);
        /* If the second evaluation fails, the results of the first remain. */
        if (!ok && w->verdict->outcome != CONF_BROKEN) {
            (void)snprintf(w->walk->reference, sizeof w->walk->reference, "given golden inputs, %.500s",
                           w->verdict->reason);
            *w->verdict = v;
        }
        if (ok && w->walk->overridden) conf_walker_judge_last(w, w->truth, logits, true);
    } else if (w->found && run_reference(w, conf_override_reference, &logits) && w->walk->overridden) {
        conf_walker_judge_last(w, logits, w->logits, true);
    }
    free(logits);
    w->walk->pass = CONF_PASS_DONE;
}

/* Checks the reference against the recorded rows of the sequence: of one that goes on after the prompt, the
 * last. */
static void check_sequence(conf_walker *w)
{
    const conf_sequence *s = w->task->sequence;
    size_t n_rows;
    const double times = conf_reference_error(w->c, s, s->n_more ? w->n_tokens - 1 : 0, w->truth, &n_rows);
    if (times > 1)
        (void)snprintf(w->walk->reference, sizeof w->walk->reference,
                       "the reference itself is %.2g times its bound away from the recorded logits", times);
}

/* Finds the golden tensors: the recorded ones, or those of the reference. False if there are none. */
static bool find_golden(conf_walker *w, const conf_h5 *file)
{
    const conf_decoder *d = &w->c->decoder;
    begin_pass(w, CONF_PASS_REFERENCE);
    if (w->task->sequence) {
        conf_walker_fail(w, conf_tensors_create(&w->golden, &w->err));
        if (w->failed || !run_reference(w, conf_store_reference, &w->truth)) return false;
        check_sequence(w);
        return true;
    }
    conf_walker_fail(w, conf_tensors_of_case(file, w->c, &w->golden, &w->err));
    if (w->failed || !d->has_truth) return !w->failed;
    w->truth = conf_recorded_spread(w, d->rows.truth);
    if (!w->truth) conf_walker_fail(w, assay_fail(&w->err, ASSAY_ENOMEM, "%s: out of memory", w->c->path));
    return !w->failed;
}

static void set_bounds(conf_walker *w)
{
    conf_replay r = {.c = w->c, .verdict = w->verdict};
    w->bounds = conf_evaluate_bounds(&r);
    if (!w->c->decoder.has_truth && w->truth)
        w->bounds = w->float64 ? conf_bounds_float64(w->truth, w->n_tokens, w->vocab, w->c->float64_bound)
                               : conf_bounds_float32(w->truth, w->truth, w->n_tokens, w->vocab);
}

static void walk_engine(conf_walker *w)
{
    bool by_reference = w->engine->tap && !w->engine->taps_can_write;
    w->walk->lacks_tap = !w->engine->tap;
    w->walk->cannot_write = by_reference;
    if (by_reference) {
        double *logits = NULL;
        w->walk->by_reference = true;
        if (!w->task->sequence) (void)run_reference(w, conf_check_reference, &logits);
        free(logits);
        assay_error err = {0};
        if (!w->failed && conf_tensors_create(&w->found, &err) != ASSAY_OK)
            (void)snprintf(w->walk->reference, sizeof w->walk->reference, "%.500s", err.text);
    }
    if (w->failed) return;
    begin_pass(w, CONF_PASS_COMPUTED);
    conf_drive d = drive_engine(w, conf_trace_engine, &w->logits);
    d.refusal = w->walk->refusal;
    if (!conf_drive_run(w, &d)) return;
    if (d.refusal[0]) { /* the tensors of a step that failed are unspecified */
        w->walk->n_rows = 0;
        w->walk->gives_traces = false;
    }
    conf_walker_judge_last(w, w->truth, w->logits, false);
    if (w->engine->tap && !d.refusal[0]) walk_from_golden(w);
}

/* Lists the tensors of the observation that the case has not recorded. */
static void list_ignored(conf_walker *w)
{
    enum { N_SHOWN = 4 };
    char *text = w->walk->ignored;
    const size_t size = sizeof w->walk->ignored;
    size_t n = 0, end = 0;
    for (size_t i = 0; i < conf_tensors_count(w->found); i++) {
        const char *name = conf_tensors_at(w->found, i)->name;
        if (conf_tensors_find(w->golden, name)) continue;
        if (n++ < N_SHOWN) end += (size_t)snprintf(text + end, size - end, "%s%.48s", end ? ", " : "", name);
    }
    if (n > N_SHOWN) (void)snprintf(text + end, size - end, " and %zu more", n - N_SHOWN);
    shown_clean(text, size);
}

static void walk_observed(conf_walker *w, const conf_observed *o)
{
    double *logits = NULL;
    list_ignored(w);
    w->walk->by_reference = true;
    w->walk->gives_traces = conf_tensors_count(w->found) > 0;
    if (w->walk->gives_traces && conf_tensors_count(w->golden))
        (void)run_reference(w, conf_check_reference, &logits);
    free(logits);
    begin_pass(w, CONF_PASS_COMPUTED);
    for (size_t i = 0; !w->failed && i < conf_tensors_count(w->golden); i++) {
        conf_trace golden;
        const conf_trace *trace = conf_tensors_at(w->golden, i);
        if (!conf_tensors_find(w->found, trace->name) || conf_walker_row(w, trace->name)) continue;
        if (!conf_walker_golden(w, trace, &golden)) return;
        conf_walker_judge_observed(w, &golden);
        conf_array_free(&golden.value);
    }
    if (o->has_prefill) w->logits = conf_recorded_spread(w, o->rows);
    if (o->has_prefill && !w->logits)
        conf_walker_fail(w, assay_fail(&w->err, ASSAY_ENOMEM, "%s: out of memory", w->c->path));
    if (!w->failed) conf_walker_judge_last(w, w->truth, w->logits, false);
    if (!w->failed) walk_from_golden(w);
}

static void note_streams(conf_walker *w)
{
    plan *p;
    if (plan_open_allowing(w->c->model, w->c->allow_unknown, &p, NULL) != ASSAY_OK) return;
    w->walk->n_streams = p->streams.n;
    plan_free(p);
}

static void walk_case(conf_walker *w, const conf_h5 *file, const conf_h5 *observed)
{
    const conf_decoder *d = &w->c->decoder;
    const conf_sequence *s = w->task->sequence, first = {0};
    conf_observed o = {0};
    w->walk->batched = d->n_samples > 1 || conf_prompt_padding(d, 0) > 0;
    w->vocab = d->has_truth ? d->rows.n_cols : 0;
    w->tokens = conf_sequence_tokens(d, s ? s : &first, &w->n_tokens);
    if (!w->tokens) conf_walker_fail(w, assay_fail(&w->err, ASSAY_ENOMEM, "%s: out of memory", w->c->path));
    else conf_walker_fail(w, conf_items_divide(w->c->path, d, &w->items, &w->err));
    note_streams(w);
    if (!w->failed && observed) {
        conf_walker_fail(w, conf_tensors_of_observation(observed, &w->found, &w->err));
        if (!w->failed) conf_walker_fail(w, conf_observed_read(observed, w->c, &o, &w->err));
        bool has_logits = o.has_prefill || o.has_decode;
        w->float64 = has_logits ? o.float64
                                : !w->failed && conf_tensors_count(w->found) &&
                                      conf_tensors_at(w->found, 0)->value.dtype == ASSAY_F64;
        w->float64 = w->float64 && w->verdict->compute == ASSAY_DTYPE_NONE;
        w->verdict->float64 = w->float64;
    }
    if (!w->failed && find_golden(w, file)) {
        w->walk->n_recorded = conf_tensors_count(w->golden);
        set_bounds(w);
        if (observed) walk_observed(w, &o);
        else walk_engine(w);
    }
    free(o.rows);
}

/* False, with the verdict set, on failure. */
static bool open_engines(conf_walker *w)
{
    const conf_location *l = w->task->location;
    w->engine = l->engine ? conf_evaluate_load(l->engine, l->compute, w->verdict) : NULL;
    if (l->engine && (!w->engine || !conf_evaluate_kernels(l->kernels, &w->kernels, w->verdict)))
        return false;
    w->verdict->compute = l->compute;
    w->float64 = w->verdict->float64;
    assay_error why = {0};
    bool needed = !takes_golden(w->engine) || w->task->sequence;
    if (!needed) return true;
    if (!l->reference || conf_engine_open(l->reference, &w->reference, &why) != ASSAY_OK ||
        !takes_golden(w->reference)) {
        w->reference = NULL;
        (void)snprintf(w->walk->reference, sizeof w->walk->reference, "there is no reference: %.400s",
                       why.text[0] ? why.text : "it was not found");
    }
    return true;
}

static assay_status list_unknown(const conf_walker *w, const conf_h5 *observed, assay_error *err)
{
    conf_strings unknown = {0};
    const assay_status rc = conf_observation_note_unknown(observed, &unknown, err);
    conf_verdict_list_unknown(w->verdict, unknown.at, unknown.n);
    conf_strings_free(&unknown);
    return rc;
}

static assay_status open_and_walk(conf_walker *w, const conf_case *c, assay_error *err)
{
    conf_h5 *file, *observed = NULL;
    w->c = c;
    assay_status rc = conf_h5_open(c->path, &file, err);
    if (rc != ASSAY_OK) return rc;
    if (w->task->location->observed) rc = conf_h5_open(w->task->location->observed, &observed, err);
    if (rc == ASSAY_OK && observed) rc = list_unknown(w, observed, err);
    if (rc == ASSAY_OK) walk_case(w, file, observed);
    if (rc == ASSAY_OK && w->failed) rc = assay_fail(err, ASSAY_EFORMAT, "%s", w->err.text);
    conf_h5_close(file);
    conf_h5_close(observed);
    conf_tensors_free(w->golden);
    conf_tensors_free(w->found);
    conf_items_free(&w->items);
    free(w->tokens);
    free(w->truth);
    free(w->logits);
    return rc;
}

void conf_walk_run(const void *context, conf_verdict *v)
{
    const conf_walk_task *task = context;
    conf_walker w = {.task = task, .walk = task->walk, .verdict = v, .running = v};
    assay_error err = {0};
    conf_case *c = NULL;
    if (!open_engines(&w)) return;
    v->stage = CONF_STAGE_READ;
    assay_status rc = conf_case_read_outline(task->location->path, &c, &err);
    if (rc == ASSAY_OK) c->allow_unknown = task->location->allow_unknown;
    if (rc == ASSAY_OK && !conf_kind_of(c->kind)->has_decoder)
        conf_verdict_set(v, CONF_SKIPPED, "a case of kind %s has no tensors on the way",
                         conf_kind_of(c->kind)->name);
    else if (rc == ASSAY_OK && conf_evaluate_judgeable(c, task->location->compute, v)) {
        if (w.engine) v->checkpoint = conf_checkpoint_check(c);
        rc = open_and_walk(&w, c, &err);
    }
    conf_case_free(c);
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
}
