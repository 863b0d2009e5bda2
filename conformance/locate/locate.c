/* Finds the first diverging tensor, or, if no tensor exceeds its bound, whether batch, padding or state
 * causes the divergence.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "conformance/locate/locate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/locate/html.h"
#include "conformance/locate/location.h"
#include "conformance/locate/print.h"
#include "conformance/locate/replay.h"
#include "conformance/locate/steps.h"
#include "conformance/locate/walk.h"
#include "conformance/locate/walker.h"
#include "conformance/replay/manner.h"
#include "conformance/report/warn.h"
#include "conformance/support/text.h"

/* Shared memory of the processes. */
typedef struct shared {
    conf_walk walk;
    conf_divergence divergence;
} shared;

/* State of a search. */
typedef struct search {
    const conf_location *location;
    const conf_context *context;
    shared *shared;
    conf_steps steps;
    assay_error err;
    bool failed; /* the reason is in err */
} search;

static conf_verdict run_child_task(search *q, conf_task_fn *task, const void *what)
{
    conf_verdict v = {0};
    if (conf_isolate(task, what, q->location->limits, &v, &q->err) != ASSAY_OK) q->failed = true;
    conf_steps_end(&q->steps);
    if (!q->failed && v.outcome == CONF_BROKEN) {
        (void)assay_fail(&q->err, ASSAY_EINTERNAL, "%s", v.reason);
        q->failed = true;
    }
    return v;
}

static conf_verdict walk_sequence(search *q, const conf_sequence *sequence)
{
    conf_walk *w = &q->shared->walk;
    memset(w, 0, sizeof *w);
    conf_steps_begin(&q->steps, "tensors of sample %zu%s", sequence ? sequence->sample : 0,
                     sequence ? " with batch size 1" : "");
    conf_verdict v = run_child_task(q, conf_walk_run, &(conf_walk_task){q->location, sequence, w, &q->steps});
    if (w->n_rows > CONF_WALK_ROWS_MAX) w->n_rows = 0; /* the engine has overwritten the shared memory */
    return v;
}

/* Whether a sequence agrees with the truth; false if the engine fails. */
static bool sequence_agrees(search *q, conf_sequence sequence)
{
    conf_steps_begin(&q->steps, "sample %zu with batch size 1%s%s", sequence.sample,
                     sequence.padded ? ", padded" : "",
                     sequence.decodes  ? ", step by step"
                     : sequence.n_more ? ", with the tokens that follow"
                                       : "");
    conf_verdict v =
        run_child_task(q, conf_sequence_replay, &(conf_replay_task){q->location, &sequence, NULL});
    return v.outcome == CONF_PASSED;
}

/* An engine that crashes on golden inputs has still been compared: the crash becomes a detail of the
 * report. */
static void keep_comparison(const search *q, conf_verdict *v)
{
    conf_walk *w = &q->shared->walk;
    if (v->outcome != CONF_FAILED || w->pass == CONF_PASS_COMPUTED || w->pass == CONF_PASS_DONE) return;
    if (w->pass == CONF_PASS_REFERENCE && q->location->engine && !w->by_reference) return;
    (void)snprintf(w->reference, sizeof w->reference, "%s%.500s",
                   w->pass == CONF_PASS_OWN && !w->by_reference ? "given golden inputs, " : "with ref64, ",
                   v->reason);
    if (w->pass == CONF_PASS_OWN) v->outcome = CONF_PASSED;
}

/* Prints the walk, also to the page. Returns whether a tensor exceeds its bound. */
static bool print_walk(const search *q, const char *title)
{
    if (q->location->sections) conf_walk_html(q->location->sections, &q->shared->walk, title);
    return conf_walk_print(q->context, &q->shared->walk, title);
}

/* Reports a sample that diverges in the batch and agrees as a batch of one. */
static void report_batch(search *q, conf_sequence single, bool padded, bool has_neighbours)
{
    FILE *out = q->context->out;
    const char *what = "padding";
    if (!padded) {
        what = has_neighbours ? "batch neighbours" : NULL;
    } else if (has_neighbours) {
        single.padded = true;
        what = sequence_agrees(q, single) ? "batch neighbours" : "padding";
    }
    if (q->failed) return;
    if (what)
        (void)fprintf(out, "%s sample %zu, with batch size 1 and no padding, agrees; the cause is its %s\n",
                      single.decodes ? "it takes the batch:" : "it is the batch:", single.sample, what);
    else
        (void)fprintf(out,
                      "sample %zu, replayed again, agrees: the engine does not compute the same "
                      "twice\n",
                      single.sample);
}

/* Reports the tensor at which a sequence, evaluated as a batch of one, diverges. */
static void report_tensor(search *q, const conf_sequence *s)
{
    FILE *out = q->context->out;
    char title[160];
    (void)fprintf(
        out, "it is neither batch nor state: sample %zu%s, with batch size 1 in one prefill, diverges, too\n",
        s->sample, s->n_more ? " with the tokens that follow" : "");
    conf_verdict v = walk_sequence(q, s);
    if (q->failed) return;
    keep_comparison(q, &v);
    (void)snprintf(title, sizeof title, "sample %zu with batch size 1, against ref64", s->sample);
    bool located = print_walk(q, title);
    if (located) return;
    if (v.outcome == CONF_FAILED) (void)fprintf(out, "%s\n", v.reason);
    else if (q->shared->walk.reference[0])
        (void)fprintf(out, "%s%s\n",
                      q->shared->walk.n_rows ? "the engine computes what ref64 computes, but " : "",
                      q->shared->walk.reference);
    else (void)fputs("ref64 computes the same\n", out);
}

static void explain_decode(search *q, const conf_divergence *d)
{
    FILE *out = q->context->out;
    conf_sequence whole = {.sample = d->sample, .n_more = d->pos + 1}, steps = whole;
    if (!sequence_agrees(q, whole)) {
        if (!q->failed) report_tensor(q, &whole);
        return;
    }
    steps.decodes = true;
    bool agrees = sequence_agrees(q, steps);
    if (q->failed) return;
    (void)fprintf(
        out,
        "it is the state: the prompt and its %zu forced token%s in one prefill agree; the first step "
        "that diverges is %zu\n",
        d->pos + 1, d->pos ? "s" : "", d->pos);
    if (agrees) report_batch(q, steps, d->padded, d->has_neighbours);
    else
        (void)fprintf(out,
                      "sample %zu with batch size 1 and no padding decodes wrongly, too: cache, positions or "
                      "counters\n",
                      d->sample);
}

static void explain_greedy(search *q, const conf_divergence *d)
{
    conf_sequence s = {.sample = d->sample, .n_more = d->pos, .greedy = true};
    bool agrees = sequence_agrees(q, s);
    if (q->failed) return;
    if (!agrees) {
        report_tensor(q, &s);
        return;
    }
    (void)fprintf(
        q->context->out,
        "it is the state: with batch size 1, in one prefill of a new session, the next token is the expected "
        "one%s\n",
        d->pos ? "" : "; the session still used its earlier contents");
}

static void explain_prefill(search *q, const conf_divergence *d)
{
    conf_sequence s = {.sample = d->sample};
    bool agrees = sequence_agrees(q, s);
    if (q->failed) return;
    if (agrees) report_batch(q, s, d->padded, d->has_neighbours);
    else report_tensor(q, &s);
}

/* No tensor of sample 0 exceeds its bound: locates the divergence by further replays. */
static conf_exit locate_by_replays(search *q, bool compared)
{
    FILE *out = q->context->out;
    conf_divergence *d = &q->shared->divergence;
    const char *who = q->location->engine ? "the engine gives" : "the observation holds";
    size_t n_rows = q->shared->walk.n_rows;
    bool recorded = q->shared->walk.n_recorded > 0;
    conf_steps_begin(&q->steps, "the case in every manner of evaluation");
    conf_verdict v = run_child_task(q, conf_divergence_find, &(conf_replay_task){q->location, NULL, d});
    if (q->failed) return CONF_EXIT_ERROR;
    conf_steps_expect(&q->steps, 3);
    if (v.outcome == CONF_FAILED && d->part == CONF_PART_NONE) {
        (void)fprintf(out, "\n%s\n", v.reason);
        return CONF_EXIT_DIVERGES;
    }
    if (d->part == CONF_PART_NONE && !compared) {
        (void)fprintf(q->context->err, "assay: nothing to locate: %s no tensors%s, and %s\n",
                      recorded ? who : "the case has", recorded ? " that the case has" : " on the way",
                      n_rows ? "the logits agree" : "there are no logits to compare");
        return CONF_EXIT_NOTHING;
    }
    if (d->part == CONF_PART_NONE) {
        (void)fputs("\nnothing is out of bounds\n", out);
        const conf_walk *w = &q->shared->walk;
        if (n_rows && isnan(w->rows[n_rows - 1].local_error) && w->reference[0])
            (void)fprintf(out, "the error of each tensor from golden inputs is unknown: %s\n", w->reference);
        return CONF_EXIT_AGREE;
    }
    (void)fprintf(out, "\nno tensor of sample 0 in prefill is out of bounds; what is: %s\n", d->what);
    if (d->tensor[0]) (void)fprintf(out, "tensor: %s\n", d->tensor);
    if (!q->location->engine)
        (void)fputs("an observation cannot be replayed: name its engine to learn more\n", out);
    else if (d->manner != CONF_MANNER_WHOLE)
        (void)fprintf(out, "it is the state: evaluated %s, the same tokens agree; %s, they do not\n",
                      conf_manner_of(CONF_MANNER_WHOLE)->label, conf_manner_of(d->manner)->label);
    else if (d->part == CONF_PART_AGAIN)
        (void)fputs("it is the state: the same prompts agree in a new session; this one still used its "
                    "earlier contents\n",
                    out);
    else if (d->part == CONF_PART_PREFILL) explain_prefill(q, d);
    else if (d->part == CONF_PART_DECODE) explain_decode(q, d);
    else explain_greedy(q, d);
    return q->failed ? CONF_EXIT_ERROR : CONF_EXIT_DIVERGES;
}

/* Whether a tensor other than the logits was compared. */
static bool has_tensors(const conf_walk *w)
{
    return w->n_rows > 1 || (w->n_rows == 1 && strcmp(w->rows[0].name, "logits") != 0);
}

static conf_exit locate_divergence(search *q)
{
    FILE *out = q->context->out;
    const conf_walk *w = &q->shared->walk;
    conf_steps_expect(&q->steps, 5);
    conf_verdict v = walk_sequence(q, NULL);
    if (q->failed) return CONF_EXIT_ERROR;
    (void)conf_report_warn(q->context, NULL, &v);
    if (v.outcome == CONF_SKIPPED) {
        (void)fprintf(q->context->err, "assay: nothing to locate: %s\n", v.reason);
        return CONF_EXIT_NOTHING;
    }
    keep_comparison(q, &v);
    bool located = print_walk(q, NULL), compared = has_tensors(w);
    if (v.outcome == CONF_FAILED) (void)fprintf(out, "%s%s\n", w->n_rows ? "\n" : "", v.reason);
    if (!located) return v.outcome == CONF_FAILED ? CONF_EXIT_DIVERGES : locate_by_replays(q, compared);
    if (v.outcome == CONF_FAILED || !q->location->engine) return CONF_EXIT_DIVERGES;
    conf_sequence single = {0};
    conf_steps_expect(&q->steps, 2);
    bool batched = w->batched, named = compared || !w->gives_traces;
    bool agrees = (batched || !named) && sequence_agrees(q, single);
    if (agrees) report_batch(q, single, true, true);
    else if (!named && !q->failed) report_tensor(q, &single);
    return q->failed ? CONF_EXIT_ERROR : CONF_EXIT_DIVERGES;
}

conf_exit conf_locate(const conf_location *location, const conf_context *context)
{
    search q = {.location = location, .context = context, .steps.context = context};
    q.shared = mmap(NULL, sizeof *q.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (q.shared == MAP_FAILED) {
        (void)fprintf(context->err, "assay: no shared memory: %s\n", strerror(errno));
        return CONF_EXIT_ERROR;
    }
    conf_exit code = locate_divergence(&q);
    if (code == CONF_EXIT_DIVERGES) conf_walk_print_needs(context->out, &q.shared->walk);
    if (q.failed) (void)fprintf(context->err, "assay: %s\n", q.err.text);
    (void)munmap(q.shared, sizeof *q.shared);
    return code;
}
