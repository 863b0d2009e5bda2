/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/vectors.h"

#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "conformance/kinds/kinds.h"
#include "conformance/process/isolate.h"
#include "conformance/support/clock.h"
#include "conformance/textual/textual.h"

/* Seconds by which the timeout of the waiting process exceeds that of a vector's process, so that it
 * can report the timeout. */
#define GRACE 5.0

/* State of the evaluation of a case's vectors. */
typedef struct evaluation {
    const conf_case *c;
    const conf_textual *kind;
    const void *offered;
    conf_verdict *v;
    size_t n_replayed, n_diverging;
    size_t n_excused;  /* number of vectors with a permitted difference */
    bool over;         /* later vectors are not replayed */
    conf_verdict last; /* verdict of the process that replayed several vectors */
} evaluation;

static void run_vector(const evaluation *e, size_t i, conf_verdict *v)
{
    conf_vector_place place;
    const conf_json_at *at = conf_vector_find(&e->c->vectors, i, e->c->path, &place);
    v->stage = CONF_STAGE_VECTOR;
    e->kind->replay(e->offered, e->c, &e->c->vectors.at[i], at, v);
}

static void finish(const evaluation *e)
{
    if (e->kind->finish) e->kind->finish(e->offered);
}

/* Task of a vector's process. */
typedef struct task {
    const evaluation *evaluation;
    size_t i;
} task;

static void run_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    run_vector(t->evaluation, t->i, v);
    finish(t->evaluation);
}

/* Whether the vector is requested, broken or not. */
static bool is_requested(const conf_assignment *assignment, const conf_vector *vector)
{
    char name[CONF_VECTOR_NAME_MAX];
    conf_vector_print_name(name, vector);
    return !assignment->vector || strcmp(name, assignment->vector) == 0;
}

/* Whether the vector is to be replayed. */
static bool is_due(const conf_assignment *assignment, const conf_vector *vector)
{
    return !vector->broken && is_requested(assignment, vector);
}

/* The vectors from `begin` on, replayed one after the other by one process: starting a process, and opening
 * what the vectors share, take longer than replaying most vectors. */
typedef struct batch {
    const evaluation *evaluation;
    const conf_assignment *assignment;
    size_t begin;
} batch;

/* Stops at the first vector that does not pass. */
static void run_batch(const void *context, conf_verdict *v)
{
    const batch *b = context;
    const evaluation *e = b->evaluation;
    for (size_t i = b->begin; i < e->c->vectors.n && v->outcome == CONF_PASSED; i++) {
        v->until = conf_clock() + b->assignment->limits.seconds;
        if (is_due(b->assignment, &e->c->vectors.at[i])) run_vector(e, i, v);
        v->n_passed += v->outcome == CONF_PASSED;
    }
    finish(e);
}

/* Sets the message for the case that this process crashes or hangs. */
static void enter_vector(evaluation *e, const conf_vector *vector, const conf_limits *limits)
{
    conf_verdict *v = e->v;
    v->until = conf_clock() + limits->seconds + GRACE;
    if (e->n_diverging > 0) return;
    conf_vector_print_name(v->vector, vector);
    (void)snprintf(v->where, sizeof v->where, "vector %s%s%.400s", v->vector, vector->comment ? ", " : "",
                   vector->comment ? vector->comment : "");
    shown_clean(v->where, sizeof v->where);
}

/* Whether the vector permits a difference; a crash is never permitted. */
static bool is_excused(const conf_vector *vector, const conf_verdict *one)
{
    return vector->rule == CONF_VECTOR_EITHER && one->outcome == CONF_FAILED &&
           one->class != CONF_CLASS_CRASH && one->class != CONF_CLASS_EXIT && one->class != CONF_CLASS_HANG;
}

static void record_verdict(evaluation *e, const conf_vector *vector, const conf_verdict *one)
{
    e->n_replayed++;
    if (one->outcome == CONF_PASSED) return;
    if (is_excused(vector, one)) {
        e->n_excused++;
        return;
    }
    e->over = one->outcome == CONF_BROKEN || one->class == CONF_CLASS_HANG;
    if (e->n_diverging++ > 0) return;
    if (one->outcome == CONF_FAILED) conf_verdict_fail(e->v, one->class, "%s", one->reason);
    else conf_verdict_set(e->v, one->outcome, "%s", one->reason);
}

static void replay_vector(evaluation *e, size_t i, const conf_limits *limits)
{
    const conf_vector *vector = &e->c->vectors.at[i];
    conf_verdict one;
    assay_error err = {0};
    enter_vector(e, vector, limits);
    if (conf_isolate(run_task, &(task){e, i}, limits, &one, &err) == ASSAY_OK) {
        record_verdict(e, vector, &one);
        return;
    }
    conf_verdict_set(e->v, CONF_BROKEN, "%s", err.text);
    e->over = true;
}

/* n: number of vectors to replay. */
static void summarize(const evaluation *e, size_t n)
{
    conf_verdict *v = e->v;
    if (e->n_diverging > 0)
        conf_verdict_note(v, "%zu of %zu vectors diverge%s", e->n_diverging, e->n_replayed,
                          e->n_diverging == 1 ? "s" : "");
    else conf_verdict_note(v, "%zu vector%s", e->n_replayed, e->n_replayed == 1 ? "" : "s");
    if (e->n_replayed < n) conf_verdict_note(v, "%zu more were not replayed", n - e->n_replayed);
    if (e->n_excused > 0) conf_verdict_note(v, "%zu differ where the format allows it", e->n_excused);
    if (v->outcome != CONF_PASSED) return;
    v->where[0] = '\0';
    v->vector[0] = '\0';
}

/* Replays vectors from `begin` on in one process. Returns the first vector that did not pass, or their
 * number. Only its replay as the first one of a process decides. */
static size_t replay_batch(evaluation *e, const conf_assignment *assignment, size_t begin)
{
    const batch b = {e, assignment, begin};
    const size_t n = e->c->vectors.n;
    assay_error err = {0};
    e->v->until = conf_clock() + (double)(n - begin) * assignment->limits.seconds + GRACE;
    if (conf_isolate(run_batch, &b, &assignment->limits, &e->last, &err) != ASSAY_OK) {
        conf_verdict_set(e->v, CONF_BROKEN, "%s", err.text);
        e->over = true;
        return n;
    }
    for (size_t i = begin; i < begin + e->last.n_passed; i++)
        e->n_replayed += is_due(assignment, &e->c->vectors.at[i]);
    return begin + e->last.n_passed;
}

/* After a vector that failed after others has passed as the first one of a process: the earlier vectors have
 * corrupted the state. after: its verdict when it failed. */
static void record_spoiled(evaluation *e, const conf_vector *vector, const conf_verdict *after)
{
    if (after->outcome != CONF_FAILED || after->class == CONF_CLASS_HANG || after->class == CONF_CLASS_MEMORY)
        return;
    conf_verdict spoiled = {0};
    conf_verdict_fail(&spoiled, CONF_CLASS_INCONSISTENT,
                      "after the vectors before it, but not by itself: %.400s", after->reason);
    const bool was_clean = e->n_diverging == 0;
    record_verdict(e, vector, &spoiled);
    e->v->needs_earlier = e->v->needs_earlier || (was_clean && e->n_diverging > 0);
    e->n_replayed--;
}

/* Replays vectors in as few processes as possible: one that fails after others is replayed as the first one
 * of the next process. */
static void replay_batches(evaluation *e, const conf_assignment *assignment)
{
    const conf_vectors *all = &e->c->vectors;
    const conf_limits *limits = &assignment->limits;
    bool failed = false; /* vector `begin` has failed after others */
    for (size_t begin = 0; begin < all->n;) {
        const conf_verdict after = e->last;
        const size_t end = replay_batch(e, assignment, begin);
        if (e->over) return;
        if (failed && end > begin) record_spoiled(e, &all->at[begin], &after);
        failed = end > begin;
        if (end < all->n) enter_vector(e, &all->at[end], limits);
        if (end == begin) record_verdict(e, &all->at[end], &e->last);
        if (e->over) return;
        begin = failed ? end : end + 1;
    }
}

static void replay_all(evaluation *e, const conf_assignment *assignment)
{
    if (e->kind->shares_process) {
        replay_batches(e, assignment);
        return;
    }
    for (size_t i = 0; i < e->c->vectors.n && !e->over; i++)
        if (is_due(assignment, &e->c->vectors.at[i])) replay_vector(e, i, &assignment->limits);
}

/* The requested vectors that break the format. */
typedef struct broken_vectors {
    size_t n;
    const conf_vector *first;
} broken_vectors;

/* Broken vectors take precedence in the verdict; divergences of other vectors become notes. */
static void report_broken(conf_verdict *v, const broken_vectors *broken, size_t n_due)
{
    char said[CONF_TEXT_MAX];
    if (broken->n == 0 || v->outcome == CONF_BROKEN) return;
    (void)snprintf(said, sizeof said, "%s", v->reason);
    if (v->outcome == CONF_FAILED) conf_verdict_note(v, "the first that diverges: %s: %s", v->where, said);
    conf_verdict_set(v, CONF_BROKEN, "%zu of %zu vectors %s broken: %s", broken->n, broken->n + n_due,
                     broken->n == 1 ? "is" : "are", broken->first->broken);
    v->where[0] = '\0';
    v->vector[0] = '\0';
}

void conf_evaluate_vectors(const conf_assignment *assignment, const conf_case *c, conf_verdict *v)
{
    evaluation e = {.c = c, .kind = &conf_kind_of(c->kind)->vectors, .v = v};
    broken_vectors broken = {0};
    size_t n = 0;
    for (size_t i = 0; i < c->vectors.n; i++) {
        const conf_vector *vector = &c->vectors.at[i];
        n += is_due(assignment, vector);
        if (!vector->broken || !is_requested(assignment, vector)) continue;
        if (broken.n++ == 0) broken.first = vector;
    }
    if (n + broken.n == 0) {
        conf_verdict_set(v, CONF_SKIPPED, "it has no vector %s", assignment->vector);
        return;
    }
    e.offered = n > 0 ? e.kind->open(assignment->engine, v) : NULL;
    if (e.offered) {
        v->stage = CONF_STAGE_VECTOR;
        replay_all(&e, assignment);
        summarize(&e, n);
    }
    report_broken(v, &broken, n);
}
