/* Members of requests whose effect must show in the answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_EFFECTS_EFFECT_H
#define CONFORMANCE_PROBE_EFFECTS_EFFECT_H

#include "conformance/probe/checks/expect.h"
#include "conformance/probe/run/ask.h"

enum { PROBE_PARTS_MOST = 12, PROBE_MORE_MAX = 192 };

/* One request of an effect, and its answer. */
typedef struct probe_part {
    probe_exchange x;
    probe_answer a;
} probe_part;

/* An effect that is judged in one form of answers. check: "protocol/chat/whole/effects/top-k". expected: the
 * whole answer of the truth. limit: the tokens that were asked for. parts: [effect->n]. */
typedef struct probe_trial {
    probe_run *r;
    probe_endpoint endpoint;
    const struct probe_effect *effect;
    const probe_prompt *prompt;
    probe_expected expected;
    size_t limit;
    bool stream;
    char check[PROBE_LABEL_MAX];
    probe_part parts[PROBE_PARTS_MOST];
} probe_trial;

/* Which prompt is asked. */
typedef enum probe_choice {
    PROBE_ANY,       /* the first with an answer */
    PROBE_UNCERTAIN, /* the one whose answer is least certain at a temperature */
    PROBE_CERTAIN,   /* one whose whole answer every correct engine gives */
    PROBE_CALLING,   /* … which calls a tool */
    PROBE_CALLING_TWICE,
    PROBE_N_CHOICES
} probe_choice;

/* name: "effects/top-k". endpoints: bits 1 << probe_endpoint.
 * member:  of the request, as JSON without braces; of Responses and Messages `other`, if it is not NULL.
 * tokens:  those that are asked for; 0: as many as the truth's answer has, and 8.
 * n:       requests, of each form.
 * write:   the members of request i; NULL: `member` in all of them.
 * judge:   adds rows on the answers, which all came. streams_only: whole answers do not show it. */
typedef struct probe_effect {
    const char *name;
    unsigned endpoints;
    probe_choice choice;
    const char *member, *other;
    size_t tokens, n;
    void (*write)(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
    void (*judge)(const probe_trial *t);
    bool streams_only;
} probe_effect;

/* The member of a trial's effect, in the spelling of its endpoint. */
const char *probe_effect_member(const probe_trial *t);

#endif
