/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/manners.h"

#include <stdio.h>
#include <string.h>

#include "conformance/evaluate/logits.h"
#include "conformance/replay/replay.h"
#include "conformance/support/clock.h"
#include "conformance/support/draw.h"

#define NAMES_MAX 128 /* of the names of all manners */

/* Which manners were evaluated, and why the others were not; empty: they were, or they were not tried. */
typedef struct tally {
    bool done[CONF_N_MANNERS];
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
    char names[NAMES_MAX] = "";
    for (conf_manner m = first; m < CONF_N_MANNERS; m++) {
        if (strcmp(t->reason[m], t->reason[first]) != 0) continue;
        add_name(names, sizeof names, m);
        if (m != first) t->reason[m][0] = '\0';
    }
    conf_verdict_note(v, "not %s: %.200s", names, t->reason[first]);
}

static void note_tally(conf_verdict *v, tally *t)
{
    char done[NAMES_MAX] = "";
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++)
        if (t->done[m]) add_name(done, sizeof done, m);
    if (done[0]) conf_verdict_note(v, "manners: %s", done);
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++)
        if (t->reason[m][0]) note_reason(v, t, m);
}

/* Whether the manner was evaluated; the verdict is set if it diverges. An engine may refuse a manner by
 * ASSAY_EUNSUPPORTED. */
static bool evaluate_manner(conf_replay *r, const conf_bounds *bounds, conf_manner manner,
                            const conf_assignment *assignment, char reason[CONF_TEXT_MAX])
{
    conf_verdict *v = r->verdict;
    const char *skipped;
    (void)snprintf(v->manner, sizeof v->manner, "%s", conf_manner_of(manner)->name);
    v->until = conf_clock() + assignment->limits.seconds;
    reason[0] = '\0';
    const bool ok = conf_replay_manner(r, manner, &skipped, reason);
    if (ok && skipped && skipped != reason) (void)snprintf(reason, CONF_TEXT_MAX, "%s", skipped);
    if (ok && !skipped) {
        v->stage = CONF_STAGE_JUDGE;
        conf_evaluate_manner(r, bounds, manner);
    }
    if (v->outcome == CONF_SKIPPED) {
        (void)snprintf(reason, CONF_TEXT_MAX, "%s", v->reason);
        conf_verdict_set(v, CONF_PASSED, "%s", "");
    }
    if (v->outcome == CONF_PASSED) v->manner[0] = '\0';
    return !reason[0];
}

static void evaluate_requested(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment)
{
    const conf_manner manner = conf_manner_find(assignment->manner);
    char reason[CONF_TEXT_MAX];
    if (manner == CONF_MANNER_WHOLE) return;
    if (!evaluate_manner(r, bounds, manner, assignment, reason) && r->verdict->outcome == CONF_PASSED)
        conf_verdict_set(r->verdict, CONF_SKIPPED, "%s", reason);
}

/* The drawn manner, or the next that applies. */
static void evaluate_drawn(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment)
{
    uint64_t state = ~conf_arrangement_state(r->c, *r->seed);
    const size_t n = CONF_N_MANNERS - 1, first = conf_draw_below(&state, n);
    char reason[CONF_TEXT_MAX];
    for (size_t i = 0; i < n; i++) {
        const conf_manner manner = (conf_manner)(1 + (first + i) % n);
        if (evaluate_manner(r, bounds, manner, assignment, reason)) {
            conf_verdict_note(r->verdict, "also %s", conf_manner_of(manner)->label);
            return;
        }
        if (r->verdict->outcome != CONF_PASSED) return;
    }
}

static void evaluate_all(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment)
{
    tally t = {0};
    for (conf_manner m = CONF_MANNER_WHOLE + 1; m < CONF_N_MANNERS && r->verdict->outcome == CONF_PASSED; m++)
        t.done[m] =
            evaluate_manner(r, bounds, m, assignment, t.reason[m]) && r->verdict->outcome == CONF_PASSED;
    note_tally(r->verdict, &t);
}

void conf_evaluate_manners(conf_replay *r, const conf_bounds *bounds, const conf_assignment *assignment)
{
    r->verdict->manner[0] = '\0';
    if (assignment->manner) evaluate_requested(r, bounds, assignment);
    else if (r->seed) evaluate_drawn(r, bounds, assignment);
    else evaluate_all(r, bounds, assignment);
}
