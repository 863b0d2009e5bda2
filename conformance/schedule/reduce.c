/* Reduces a failing program: removes parts, the largest first, as long as the rest fails in the same
 * way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/reduce.h"

#include <string.h>

#include "conformance/schedule/check.h"
#include "conformance/schedule/rewrite.h"
#include "conformance/support/clock.h"

/* A reduction in progress. */
typedef struct reduction {
    const conf_runner *r;
    const conf_reduction *effort;
    double until;
    conf_class class; /* how the program fails */
    conf_schedule *s; /* the shortest so far */
    conf_verdict *v;  /* how *s fails */
    assay_status rc;
    assay_error *err;
} reduction;

static bool is_over(const reduction *x)
{
    return x->rc != ASSAY_OK || conf_clock() > x->until;
}

/* Whether the program fails in the same way in one of the tries; if so, *v says how. The serial run is
 * deterministic, so it runs once. */
static bool still_fails(reduction *x, const conf_schedule *s, conf_verdict *v)
{
    assay_error none;
    if (conf_schedule_check(s, &none) != ASSAY_OK) return false;
    x->rc = conf_schedule_run_serially(x->r, s, v, x->err);
    if (x->rc != ASSAY_OK) return false;
    if (v->outcome != CONF_PASSED) return v->outcome == CONF_FAILED && v->class == x->class;
    for (size_t k = 0; k < x->effort->tries && !is_over(x); k++) {
        x->rc = conf_schedule_run_concurrently(x->r, s, v, x->err);
        if (x->rc == ASSAY_OK && v->outcome == CONF_FAILED && v->class == x->class) return true;
    }
    return false;
}

static bool keep_if_fails(reduction *x, const conf_schedule *s)
{
    conf_verdict v;
    if (is_over(x) || !still_fails(x, s, &v)) return false;
    *x->s = *s;
    *x->v = v;
    return true;
}

/* Removes step i. */
static void drop_step(conf_schedule *s, size_t i)
{
    memmove(&s->steps[i], &s->steps[i + 1], (s->n_steps - i - 1) * sizeof *s->steps);
    s->n_steps--;
}

static bool has_model(const conf_schedule *s, size_t model)
{
    for (size_t i = 0; i < s->n_steps; i++)
        if (conf_op_has_model(s->steps[i].op) && s->steps[i].model == model) return true;
    return false;
}

/* Removes a model with its sessions. */
static void drop_model(conf_schedule *s, size_t model)
{
    conf_omission what = {.step = SIZE_MAX};
    for (size_t i = 0; i < s->n_steps; i++)
        if (s->steps[i].op == CONF_OP_SESSION && s->steps[i].model == model)
            what.sessions[s->steps[i].session] = true;
    conf_schedule_omit(s, &what);
    for (size_t i = s->n_steps; i-- > 0;)
        if (conf_op_has_model(s->steps[i].op) && s->steps[i].model == model) drop_step(s, i);
}

static bool reduce_models(reduction *x)
{
    bool any = false;
    for (size_t m = 0; m < CONF_SCHEDULE_MODELS_MAX; m++) {
        conf_schedule less = *x->s;
        if (!has_model(x->s, m)) continue;
        drop_model(&less, m);
        any = keep_if_fails(x, &less) || any;
    }
    return any;
}

/* Drops sessions in groups of n, then of n / 2, down to 1. */
static bool reduce_sessions(reduction *x)
{
    bool any = false;
    for (size_t n = CONF_SCHEDULE_SESSIONS_MAX / 4; n > 0; n /= 2) {
        for (size_t first = 0; first < CONF_SCHEDULE_SESSIONS_MAX; first += n) {
            conf_schedule less = *x->s;
            conf_omission what = {.step = SIZE_MAX};
            for (size_t k = first; k < first + n; k++) what.sessions[k] = true;
            conf_schedule_omit(&less, &what);
            if (less.n_steps < x->s->n_steps) any = keep_if_fails(x, &less) || any;
        }
    }
    return any;
}

/* Drops single steps, from the end. A step that adds a sample is not dropped as long as others use the
 * sample. */
static bool reduce_steps(reduction *x)
{
    bool any = false;
    for (size_t i = x->s->n_steps; i-- > 0;) {
        conf_schedule less = *x->s;
        drop_step(&less, i);
        any = keep_if_fails(x, &less) || any;
        if (i >= x->s->n_steps) i = x->s->n_steps;
    }
    return any;
}

/* Replaces load and wait by open. */
static bool reduce_loads(reduction *x)
{
    bool any = false;
    for (size_t i = 0; i < x->s->n_steps; i++) {
        conf_schedule less = *x->s;
        size_t model = less.steps[i].model;
        if (less.steps[i].op != CONF_OP_LOAD) continue;
        less.steps[i].op = CONF_OP_OPEN;
        for (size_t k = less.n_steps; k-- > 0;)
            if (less.steps[k].op == CONF_OP_WAIT && less.steps[k].model == model) drop_step(&less, k);
        any = keep_if_fails(x, &less) || any;
    }
    return any;
}

/* Moves the sessions of model b to model a, and opens model a first and closes it last. */
static void unite_models(conf_schedule *s, size_t a, size_t b)
{
    const conf_schedule was = *s;
    s->n_steps = 0;
    for (size_t part = 0; part < 3; part++) {
        for (size_t i = 0; i < was.n_steps; i++) {
            conf_step step = was.steps[i];
            size_t due = step.op <= CONF_OP_WAIT && step.model == a    ? 0
                         : step.op == CONF_OP_CLOSE && step.model == a ? 2
                                                                       : 1;
            bool of_b = conf_op_has_model(step.op) && step.model == b;
            if (due != part || (of_b && step.op != CONF_OP_SESSION)) continue;
            if (of_b) step.model = a;
            s->steps[s->n_steps++] = step;
        }
    }
}

static bool merge_models(reduction *x)
{
    bool any = false;
    for (size_t b = CONF_SCHEDULE_MODELS_MAX; b-- > 0;) {
        for (size_t a = 0; a < CONF_SCHEDULE_MODELS_MAX && has_model(x->s, b); a++) {
            conf_schedule less = *x->s;
            if (a == b || !has_model(x->s, a)) continue;
            unite_models(&less, a, b);
            any = keep_if_fails(x, &less) || any;
        }
    }
    return any;
}

/* Whether a step adds samples, and their numbers: *first … *end - 1. */
static bool adds_samples(const conf_step *a, const conf_schedule *s, size_t *first, size_t *end)
{
    const bool is_session = a->op == CONF_OP_SESSION;
    *first = is_session ? 0 : a->sample;
    *end = is_session ? s->sessions[a->session].n_samples : a->sample + 1;
    return is_session || a->op == CONF_OP_JOIN || a->op == CONF_OP_FORK;
}

/* Drops single samples with their copies, from the end. */
static bool reduce_samples(reduction *x)
{
    bool any = false;
    for (size_t i = x->s->n_steps; i-- > 0;) {
        size_t first, end;
        if (i >= x->s->n_steps || !adds_samples(&x->s->steps[i], x->s, &first, &end)) continue;
        for (size_t k = end; k-- > first;) {
            conf_schedule less = *x->s;
            conf_omission what = {.step = i, .sample = k};
            conf_schedule_omit(&less, &what);
            any = keep_if_fails(x, &less) || any;
        }
    }
    return any;
}

/* Keeps the program if it is a change of step i and fails. */
static bool try_call(reduction *x, size_t i, uint32_t samples, size_t n_tokens, bool all_rows)
{
    conf_schedule less = *x->s;
    conf_step *a = &less.steps[i];
    if (a->samples == samples && a->n_tokens == n_tokens && a->all_rows == all_rows) return false;
    a->samples = samples;
    a->n_tokens = n_tokens;
    a->all_rows = all_rows;
    return keep_if_fails(x, &less);
}

/* Lets samples of a step rest, gives it fewer tokens, and asks for its last rows only. */
static bool reduce_calls(reduction *x)
{
    bool any = false;
    for (size_t i = 0; i < x->s->n_steps; i++) {
        const conf_step *a = &x->s->steps[i];
        if (a->op != CONF_OP_STEP) continue;
        for (size_t k = CONF_SCHEDULE_SAMPLES_MAX; k-- > 0;) {
            const uint32_t bit = UINT32_C(1) << k, rest = a->samples & ~bit;
            if (rest && (a->samples & bit)) any = try_call(x, i, rest, a->n_tokens, a->all_rows) || any;
        }
        any = try_call(x, i, a->samples, 1, a->all_rows) || any;
        any = try_call(x, i, a->samples, a->n_tokens, false) || any;
    }
    return any;
}

/* Moves the steps of thread b to thread a. */
static bool merge_threads(reduction *x)
{
    bool any = false;
    for (size_t b = conf_schedule_threads(x->s); b-- > 1;) {
        for (size_t a = 0; a < b; a++) {
            conf_schedule less = *x->s;
            bool moved = false;
            for (size_t i = 0; i < less.n_steps; i++) {
                if (less.steps[i].thread != b) continue;
                less.steps[i].thread = a;
                moved = true;
            }
            if (!moved || !keep_if_fails(x, &less)) continue;
            any = true;
            break;
        }
    }
    return any;
}

static bool reduce_workers(reduction *x)
{
    conf_schedule less = *x->s;
    for (less.n_workers = 1; less.n_workers < x->s->n_workers; less.n_workers *= 2)
        if (keep_if_fails(x, &less)) return true;
    return false;
}

/* Renumbers threads, models and sessions from 0, in order of first use. */
static void renumber_objects(conf_schedule *s)
{
    size_t threads[CONF_SCHEDULE_THREADS_MAX], models[CONF_SCHEDULE_MODELS_MAX];
    size_t sessions[CONF_SCHEDULE_SESSIONS_MAX], n_threads = 0, n_models = 0, n_sessions = 0;
    const conf_schedule was = *s;
    memset(threads, 0xff, sizeof threads);
    memset(models, 0xff, sizeof models);
    memset(sessions, 0xff, sizeof sessions);
    memset(s->sessions, 0, sizeof s->sessions);
    for (size_t i = 0; i < s->n_steps; i++) {
        conf_step *a = &s->steps[i];
        if (threads[a->thread] == SIZE_MAX) threads[a->thread] = n_threads++;
        a->thread = threads[a->thread];
        if (conf_op_has_model(a->op) && models[a->model] == SIZE_MAX) models[a->model] = n_models++;
        if (conf_op_has_model(a->op)) a->model = models[a->model];
        if (!conf_op_has_session(a->op)) continue;
        if (sessions[a->session] == SIZE_MAX) sessions[a->session] = n_sessions++;
        s->sessions[sessions[a->session]] = was.sessions[a->session];
        a->session = sessions[a->session];
        if (a->op == CONF_OP_FORK) a->from = sessions[a->from];
    }
}

assay_status conf_schedule_reduce(const conf_runner *r, const conf_reduction *effort, conf_schedule *s,
                                  conf_verdict *v, bool *again, assay_error *err)
{
    static bool (*const ways[])(reduction *) = {reduce_models,  reduce_sessions, merge_models,
                                                reduce_samples, reduce_steps,    reduce_loads,
                                                reduce_calls,   merge_threads,   reduce_workers};
    reduction x = {.r = r,
                   .effort = effort,
                   .until = conf_clock() + effort->seconds,
                   .class = v->class,
                   .s = s,
                   .v = v,
                   .err = err};
    const conf_schedule whole = *s;
    *again = keep_if_fails(&x, &whole);
    bool shorter = *again;
    while (shorter) {
        shorter = false;
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) shorter = ways[k](&x) || shorter;
    }
    if (x.rc != ASSAY_OK || !*again) return x.rc;
    /* The verdict must name the new step numbers: run the renumbered program again. */
    conf_schedule last = *s;
    conf_schedule_omit(&last, &(conf_omission){.step = SIZE_MAX});
    renumber_objects(&last);
    x.until = conf_clock() + effort->seconds;
    (void)keep_if_fails(&x, &last);
    return x.rc;
}
