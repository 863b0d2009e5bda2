/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/trial.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/prompt.h"
#include "conformance/case/spans.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/replay/arrange.h"
#include "conformance/schedule/draw.h"
#include "conformance/schedule/json_write.h"
#include "conformance/schedule/reduce.h"

#define REDUCTION_SECONDS 60.0
#define REDUCTION_TRIES   6
#define HANG_SECONDS      4.0 /* timeout of each run while a program that hangs is reduced */

double conf_trial_seconds(const conf_trial *t)
{
    double runs = t->replayed ? (double)t->n_times + 1 : (double)t->n_draws * (double)(t->n_threads + 1);
    return t->limits->seconds * (runs + 2 * REDUCTION_TRIES) + 3 * REDUCTION_SECONDS;
}

/* "threaded" of "threaded.so" */
static int label_width(const char *label)
{
    size_t n = strlen(label);
    return (int)(n > 3 && strcmp(label + n - 3, ".so") == 0 ? n - 3 : n);
}

/* "DIR/schedule-fastpath-llama-base-single-7.json" */
static void name_file(const conf_trial *t, uint64_t seed, char *text, size_t size)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%.*s-%.180s", label_width(t->label), t->label, t->id);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c)) *c = '-';
    (void)snprintf(text, size, "%s/schedule-%s-%" PRIu64 ".json", t->save, name, seed);
}

static assay_status save_trial(const conf_trial *t, const conf_verdict *v, assay_error *err)
{
    conf_trial_result *to = t->result;
    char path[CONF_TRIAL_PATH_MAX], found[2 * CONF_TEXT_MAX + 2];
    name_file(t, to->seed, path, sizeof path);
    (void)snprintf(found, sizeof found, "%s%s%s", v->reason, v->where[0] ? "; " : "", v->where);
    conf_schedule_file file = {.path = strdup(t->path),
                               .engine = strdup(t->name),
                               .kernels = t->kernels_name ? strdup(t->kernels_name) : NULL,
                               .compute = t->compute,
                               .found = strdup(found),
                               .has_seed = true,
                               .seed = to->seed,
                               .schedule = to->schedule};
    bool ok = file.path && file.engine && file.found && (file.kernels || !t->kernels_name);
    assay_status rc =
        ok ? conf_schedule_write(path, &file, err) : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    conf_schedule_file_free(&file);
    if (rc == ASSAY_OK) memcpy(to->saved, path, sizeof path);
    return rc;
}

/* Reduces the program that fails as *v says, and saves it. If it cannot be saved, it has still
 * failed. */
static assay_status reduce_and_save(const conf_trial *t, const conf_runner *r, const conf_schedule *s,
                                    uint64_t seed, conf_verdict *v, assay_error *err)
{
    conf_trial_result *to = t->result;
    conf_limits limits = *r->limits;
    if (v->class == CONF_CLASS_HANG) limits.seconds = fmin(limits.seconds, HANG_SECONDS);
    conf_runner limited = *r;
    limited.limits = &limits;
    const conf_reduction effort = {.seconds = REDUCTION_SECONDS, .tries = REDUCTION_TRIES};
    to->schedule = *s;
    to->n_steps = s->n_steps;
    to->seed = seed;
    assay_error why = {0};
    assay_status rc = conf_schedule_reduce(&limited, &effort, &to->schedule, v, &to->again, err);
    if (rc == ASSAY_OK && save_trial(t, v, &why) != ASSAY_OK) conf_verdict_note(v, "not saved: %s", why.text);
    return rc;
}

void conf_trial_omitted_add(conf_trial_omitted *to, const conf_trial_omitted *from)
{
    to->n_programs += from->n_programs;
    to->n_parts += from->n_parts;
    if (!to->why[0]) memcpy(to->why, from->why, sizeof to->why);
    if (!to->rest[0]) memcpy(to->rest, from->rest, sizeof to->rest);
}

static bool is_refused(const conf_runner *r, const conf_verdict *v)
{
    return v->outcome == CONF_SKIPPED && atomic_load(&r->serial->failed) > 0;
}

/* Divides prompts with items, unless the engine refuses that: from then on they come in one step. */
static assay_status run_divided(const conf_runner *r, const conf_schedule *s, conf_verdict *v,
                                assay_error *err)
{
    assay_status rc = conf_schedule_run_serially(r, s, v, err);
    if (rc != ASSAY_OK || !is_refused(r, v) || r->items->undivided || r->items->n_tensors == 0) return rc;
    r->items->undivided = true;
    rc = conf_schedule_run_serially(r, s, v, err);
    if (rc != ASSAY_OK || !is_refused(r, v)) return rc;
    r->items->undivided = false; /* something else is refused */
    return conf_schedule_run_serially(r, s, v, err);
}

/* Runs a program serially. If the engine refuses a step, *s becomes the program before it, of which rows are
 * known; if it has none, *v stays CONF_SKIPPED. */
static assay_status run_serially(const conf_trial *t, const conf_runner *r, conf_schedule *s, conf_verdict *v,
                                 assay_error *err)
{
    conf_trial_omitted omitted = {0};
    const assay_status rc = run_divided(r, s, v, err);
    if (rc != ASSAY_OK) return rc;
    if (v->outcome == CONF_SKIPPED && conf_schedule_cut_refused(r, s)) {
        omitted.n_parts = 1;
        (void)snprintf(omitted.rest, sizeof omitted.rest, "from %s on: %s", v->where, v->reason);
        conf_verdict_set(v, CONF_PASSED, "%s", "");
        v->where[0] = '\0';
    } else if (v->outcome == CONF_SKIPPED) {
        omitted.n_programs = 1;
        (void)snprintf(omitted.why, sizeof omitted.why, "%s", v->reason);
    }
    conf_trial_omitted_add(&t->result->omitted, &omitted);
    t->result->n_programs += v->outcome == CONF_PASSED || v->outcome == CONF_FAILED;
    return ASSAY_OK;
}

/* Runs one program with each number of threads. */
static assay_status try_program(const conf_trial *t, const conf_runner *r, conf_schedule *drawn,
                                uint64_t seed, conf_verdict *v, assay_error *err)
{
    static const size_t workers[] = {1, 2, 4};
    assay_status rc = run_serially(t, r, drawn, v, err);
    if (rc != ASSAY_OK) return rc;
    conf_schedule s = *drawn;
    conf_schedule_fold(&s, t->threads[0]);
    if (v->outcome == CONF_FAILED) return reduce_and_save(t, r, &s, seed, v, err);
    for (size_t k = 0; k < t->n_threads && v->outcome == CONF_PASSED && rc == ASSAY_OK; k++) {
        s = *drawn;
        s.n_workers = workers[(drawn->n_workers + k) % 3];
        conf_schedule_fold(&s, t->threads[k]);
        rc = conf_schedule_run_concurrently(r, &s, v, err);
        t->result->n_runs++;
        if (rc != ASSAY_OK || v->outcome != CONF_FAILED) continue;
        t->result->n_failed++;
        return reduce_and_save(t, r, &s, seed, v, err);
    }
    return rc;
}

static size_t shortest_prompt(const conf_decoder *d)
{
    size_t n = SIZE_MAX;
    for (size_t k = 0; k < d->n_samples; k++) {
        const size_t own = conf_prompt_length(d, k);
        if (own < n) n = own;
    }
    return n;
}

/* The verdict is that of the first failure. The case is skipped if all programs are. */
static assay_status try_draws(const conf_trial *t, const conf_runner *r, conf_verdict *v, assay_error *err)
{
    const conf_decoder *d = &r->c->decoder;
    conf_offer *offer = &t->result->offer;
    conf_verdict skipped = {0};
    assay_status rc = conf_schedule_probe(r, offer, v, err);
    t->result->has_offer = rc == ASSAY_OK && v->outcome == CONF_PASSED;
    if (!t->result->has_offer) return rc;
    for (size_t k = 0; k < t->n_draws && v->outcome == CONF_PASSED && rc == ASSAY_OK; k++) {
        const conf_schedule_draws draws = {.seed = conf_arrangement_state(r->c, t->seed + k),
                                           .shape = t->shape,
                                           .n_samples = d->n_samples,
                                           .n_prompt = shortest_prompt(d),
                                           .offer = *offer};
        conf_schedule s;
        conf_schedule_draw(&draws, &s);
        rc = try_program(t, r, &s, t->seed + k, v, err);
        if (rc != ASSAY_OK || v->outcome != CONF_SKIPPED) continue;
        if (skipped.outcome != CONF_SKIPPED) skipped = *v;
        *v = (conf_verdict){0};
    }
    if (rc == ASSAY_OK && v->outcome == CONF_PASSED && t->result->n_programs == 0) *v = skipped;
    return rc;
}

/* Runs the given program n_times; the verdict is that of the first failure. */
static assay_status try_replayed(const conf_trial *t, const conf_runner *r, conf_verdict *v, assay_error *err)
{
    conf_trial_result *to = t->result;
    conf_verdict first = {0};
    to->schedule = *t->replayed;
    if (conf_schedule_fits(t->replayed, r->c, err) != ASSAY_OK) return ASSAY_EINVAL;
    conf_schedule s = *t->replayed;
    assay_status rc = run_serially(t, r, &s, v, err);
    if (rc != ASSAY_OK || v->outcome != CONF_PASSED) return rc;
    for (size_t k = 0; k < t->n_times; k++) {
        rc = conf_schedule_run_concurrently(r, &s, v, err);
        if (rc != ASSAY_OK || v->outcome == CONF_BROKEN) return rc;
        to->n_runs++;
        if (v->outcome != CONF_FAILED) continue;
        if (to->n_failed++ == 0) first = *v;
    }
    if (to->n_failed) *v = first;
    return rc;
}

static void try_case(const conf_trial *t, const conf_case *c, const conf_placeholders *placeholders,
                     conf_verdict *v)
{
    conf_items items;
    assay_error err = {0};
    if (conf_items_divide(c->path, &c->decoder, &items, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    conf_spans_find(&items, &c->decoder, placeholders);
    conf_runner r = {.c = c,
                     .items = &items,
                     .engine = t->engine,
                     .kernels = t->kernels,
                     .compute = t->compute,
                     .limits = t->limits,
                     .serial = conf_record_open(),
                     .concurrent = conf_record_open()};
    assay_status rc =
        r.serial && r.concurrent ? ASSAY_OK : assay_fail(&err, ASSAY_ENOMEM, "no memory to share");
    if (rc == ASSAY_OK) rc = t->replayed ? try_replayed(t, &r, v, &err) : try_draws(t, &r, v, &err);
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    conf_record_free(r.serial);
    conf_record_free(r.concurrent);
    conf_items_free(&items);
}

void conf_trial_run(const void *context, conf_verdict *v)
{
    const conf_trial *t = context;
    conf_case *c = NULL;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    if (conf_case_read_outline(t->path, &c, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    c->allow_unknown = t->allow_unknown;
    t->result->no_sessions = !conf_kind_of(c->kind)->has_decoder;
    if (c->kind == CONF_SCHEDULE) conf_verdict_set(v, CONF_SKIPPED, "%s", conf_kind_of(c->kind)->refusal);
    else if (t->result->no_sessions)
        conf_verdict_set(v, CONF_SKIPPED, "kind %s opens no sessions", conf_kind_of(c->kind)->name);
    else {
        const conf_checkpoint checkpoint = conf_checkpoint_check(c);
        try_case(t, c, &checkpoint.placeholders, v);
        v->checkpoint = checkpoint;
    }
    conf_case_free(c);
}
