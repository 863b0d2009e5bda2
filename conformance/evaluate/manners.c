/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/manners.h"

#include <stdio.h>
#include <string.h>

#include "conformance/evaluate/deadline.h"
#include "conformance/evaluate/logits.h"
#include "conformance/replay/replay.h"
#include "conformance/support/clock.h"
#include "conformance/support/draw.h"

/* An evaluation of a case in several manners. */
typedef struct manners_run {
    conf_replay *r;
    const conf_bounds *bounds;
    const conf_assignment *assignment;
    size_t n_kept; /* bytes of the notes that precede the measures of the whole evaluation */
    /* Of the whole evaluation and the manners that agree: */
    bool measured;
    double multiple;
    char notes[CONF_NOTES_MAX];
} manners_run;

/* Which manners were evaluated, and why the others were not; empty: they were, or they were not tried. */
typedef struct tally {
    bool done[CONF_N_MANNERS];
    bool same[CONF_N_MANNERS];        /* the manner would change nothing */
    bool refused[CONF_N_MANNERS];     /* by the engine */
    bool keeps_spans[CONF_N_MANNERS]; /* evaluated with whole spans: the engine refuses to divide them */
    char refusal[CONF_TEXT_MAX];      /* of the first of these */
    char reason[CONF_N_MANNERS][CONF_TEXT_MAX];
} tally;

static void add_name(char *to, size_t size, conf_manner manner)
{
    const size_t n = strlen(to);
    (void)snprintf(to + n, size - n, "%s%s", n ? ", " : "", conf_manner_of(manner)->name);
}

/* Notes the manners from `first` on that were not evaluated for its reason, and clears that of the others. */
static void note_reason(conf_verdict *v, tally *t, conf_manner first)
{
    char names[CONF_MANNERS_TEXT_MAX] = "";
    for (conf_manner m = first; m < CONF_N_MANNERS; m++) {
        if (strcmp(t->reason[m], t->reason[first]) != 0) continue;
        add_name(names, sizeof names, m);
        if (m != first) t->reason[m][0] = '\0';
    }
    const bool unknown = strcmp(t->reason[first], conf_replay_unknown_ropes) == 0;
    conf_verdict_note(v, "not %s: %.200s%s%.200s", names, t->reason[first], unknown ? ": " : "",
                      unknown ? v->checkpoint.reason : "");
    if (!t->same[first] && !t->refused[first]) conf_verdict_leave_out(v, names, t->reason[first]);
}

/* Those that the engine refused, whatever it said, are one entry of the manners left out. */
static void leave_out_refused(conf_verdict *v, const tally *t)
{
    char names[CONF_MANNERS_TEXT_MAX] = "", kept[CONF_MANNERS_TEXT_MAX] = "";
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) {
        if (t->refused[m]) add_name(names, sizeof names, m);
        if (t->keeps_spans[m]) add_name(kept, sizeof kept, m);
    }
    if (names[0]) conf_verdict_leave_out(v, names, "the engine refuses it");
    if (!kept[0]) return;
    conf_verdict_note(v, "with the placeholder tokens of each input in one step: %s: %.200s", kept,
                      t->refusal);
    conf_verdict_leave_out(v, kept, "the engine refuses to divide the placeholder tokens of an input");
}

/* A failure ends the evaluation: notes the manners that come after it. */
static void note_untried(conf_verdict *v, const tally *t)
{
    char names[CONF_MANNERS_TEXT_MAX] = "";
    for (conf_manner m = conf_manner_find(v->manner) + 1; m < CONF_N_MANNERS; m++)
        if (!t->done[m] && !t->reason[m][0]) add_name(names, sizeof names, m);
    if (names[0]) conf_verdict_note(v, "not tried: %s", names);
}

static void note_tally(conf_verdict *v, tally *t)
{
    char done[CONF_MANNERS_TEXT_MAX] = "";
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++)
        if (t->done[m]) add_name(done, sizeof done, m);
    if (done[0])
        conf_verdict_note(v, "%s: %s", v->outcome == CONF_FAILED ? "manners that agree" : "manners", done);
    if (v->outcome == CONF_FAILED) note_untried(v, t);
    leave_out_refused(v, t);
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++)
        if (t->reason[m][0]) note_reason(v, t, m);
}

/* From here on, a failure or a crash of the engine has no measures but those of the manner under way. */
static void begin_manner(manners_run *run, conf_manner manner)
{
    conf_verdict *v = run->r->verdict;
    run->measured = v->measured;
    run->multiple = v->multiple;
    memcpy(run->notes, v->notes, sizeof run->notes);
    (void)snprintf(v->manner, sizeof v->manner, "%s", conf_manner_of(manner)->name);
    conf_evaluate_allow(v, &run->assignment->limits);
    conf_evaluate_put_aside(v, run->n_kept, "evaluated whole");
}

/* After a manner that agrees, or that was not evaluated. */
static void end_manner(const manners_run *run)
{
    conf_verdict *v = run->r->verdict;
    v->manner[0] = '\0';
    v->measured = run->measured;
    if (run->multiple > v->multiple) v->multiple = run->multiple;
    memcpy(v->notes, run->notes, sizeof v->notes);
}

/* Evaluates the manner and enters it in the tally. Whether it was evaluated; the verdict is set if it
 * diverges. An engine may refuse a manner, or to divide spans, by ASSAY_EUNSUPPORTED. Rows that it gave
 * before are judged, unless they are of a divided prompt: an engine that refuses to continue a block of
 * tokens which attend to each other has given a row of the block's beginning alone. */
static bool evaluate_manner(manners_run *run, conf_manner manner, tally *t)
{
    conf_verdict *v = run->r->verdict;
    char *reason = t->reason[manner], text[CONF_TEXT_MAX] = "";
    const char *skipped;
    begin_manner(run, manner);
    const bool ok = conf_replay_manner(run->r, manner, &skipped, text);
    t->keeps_spans[manner] = ok && !skipped && run->r->keeps_spans;
    t->same[manner] = ok && skipped == conf_replay_no_change;
    if (ok && skipped) (void)snprintf(reason, CONF_TEXT_MAX, "%s", skipped);
    if (t->keeps_spans[manner] && !t->refusal[0]) (void)snprintf(t->refusal, CONF_TEXT_MAX, "%s", text);
    if (ok ? !skipped : v->outcome == CONF_SKIPPED && conf_manner_keeps_prompts(manner)) {
        v->stage = CONF_STAGE_JUDGE;
        conf_evaluate_manner(run->r, run->bounds, manner);
    }
    t->refused[manner] = v->outcome == CONF_SKIPPED;
    if (t->refused[manner]) {
        (void)snprintf(reason, CONF_TEXT_MAX, "%s", v->reason);
        conf_verdict_set(v, CONF_PASSED, "%s", "");
    }
    if (v->outcome == CONF_PASSED) end_manner(run);
    t->done[manner] = !reason[0] && v->outcome == CONF_PASSED;
    return !reason[0];
}

static void evaluate_requested(manners_run *run)
{
    const conf_manner manner = conf_manner_find(run->assignment->manner);
    tally t = {0};
    const char *reason = t.reason[manner];
    if (manner == CONF_MANNER_WHOLE) return;
    conf_verdict *v = run->r->verdict;
    const bool evaluated = evaluate_manner(run, manner, &t);
    if (evaluated) leave_out_refused(v, &t);
    if (evaluated || v->outcome != CONF_PASSED) return;
    if (strcmp(reason, conf_replay_unknown_ropes) == 0) conf_verdict_note(v, "%s", v->checkpoint.reason);
    conf_verdict_set(v, CONF_SKIPPED, "manner %s: %.600s", conf_manner_of(manner)->name, reason);
    (void)snprintf(v->manner, sizeof v->manner, "%s", conf_manner_of(manner)->name);
}

/* The drawn manner, or the next that applies. */
static void evaluate_drawn(manners_run *run)
{
    conf_verdict *v = run->r->verdict;
    uint64_t state = ~conf_arrangement_state(run->r->c, *run->r->seed);
    const size_t n = CONF_N_MANNERS - 1, first = conf_draw_below(&state, n);
    tally t = {0};
    for (size_t i = 0; i < n; i++) {
        const conf_manner manner = (conf_manner)(1 + (first + i) % n);
        const bool evaluated = evaluate_manner(run, manner, &t);
        if (v->outcome != CONF_PASSED) return;
        if (!evaluated) continue;
        conf_verdict_note(v, "also %s", conf_manner_of(manner)->label);
        return;
    }
}

static void evaluate_all(manners_run *run)
{
    conf_verdict *v = run->r->verdict;
    tally t = {0};
    for (conf_manner m = CONF_MANNER_WHOLE + 1; m < CONF_N_MANNERS && v->outcome == CONF_PASSED; m++)
        (void)evaluate_manner(run, m, &t);
    note_tally(v, &t);
}

void conf_evaluate_manners(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment,
                           size_t n_kept)
{
    manners_run run = {.r = r, .bounds = bounds, .assignment = assignment, .n_kept = n_kept};
    r->verdict->manner[0] = '\0';
    if (assignment->manner) evaluate_requested(&run);
    else if (r->seed) evaluate_drawn(&run);
    else evaluate_all(&run);
}
