/* Phases: prompts that are asked one after the other or at once, whose answers must be those of the prompts
 * asked alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_PHASE_H
#define CONFORMANCE_PROBE_CHECKS_PHASE_H

#include "conformance/probe/checks/grade.h"
#include "conformance/probe/run/ask.h"

enum { PROBE_PHASE_PROMPTS = 3, PROBE_PHASE_MOST = 8 };

/* How a phase asks n requests. order: indices of prompts, modulo their number; spacing: seconds between them;
 * leaver: the first one is a neighbour whose client leaves; in_turn: one after the other.
 * more: members that the request of each prompt has besides, as in probe_ask; NULL: none. */
typedef struct probe_plan {
    const char *name, *summary;
    size_t n;
    size_t order[PROBE_PHASE_MOST];
    double spacing;
    bool leaver, in_turn;
    const char *const *more; /* [PROBE_PHASE_PROMPTS] */
} probe_plan;

/* The requests of a phase, and their answers. prompt: which prompt each one asks. */
typedef struct probe_phase {
    probe_exchange x[PROBE_PHASE_MOST + 1]; /* the last one is for /metrics */
    probe_answer a[PROBE_PHASE_MOST];
    size_t prompt[PROBE_PHASE_MOST];
    size_t n;
} probe_phase;

/* Prompts, and what they are answered alone. */
typedef struct probe_phases {
    probe_run *r;
    probe_endpoint endpoint;
    const probe_prompt *prompts[PROBE_PHASE_PROMPTS];
    size_t n_prompts;
    probe_phase alone;
} probe_phases;

/* Chooses the first endpoint that can be asked prompts of the truth, and of these the shortest, the middle
 * and the longest. n_prompts is 0 if there is none. */
void probe_phases_begin(probe_phases *all, probe_run *r);

/* The request of a prompt. */
probe_ask probe_phase_ask(const probe_phases *all, const probe_plan *how, size_t prompt, bool stream);

/* Makes the requests of a phase: *p holds zeros before. A request that fails is part of it. Fails with
 * ASSAY_ENOMEM, or as probe_wire_run does. Free *p with probe_phase_free, also after a failure. */
assay_status probe_phase_run(const probe_phases *all, const probe_plan *how, probe_phase *p,
                             assay_error *err);
void probe_phase_free(probe_phase *p);

/* The worst likeness of its answers to those of the prompts alone. *which: the index of the answer;
 * text [size] describes the difference. */
probe_likeness probe_phase_grade(const probe_phases *all, const probe_plan *how, const probe_phase *p,
                                 size_t *which, char *text, size_t size);

#endif
