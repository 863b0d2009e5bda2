/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/rewrite.h"

#include <assert.h>

/* A sample of the old program: whether it is left out, and its number in the new one. */
typedef struct fate {
    bool omitted;
    size_t number;
} fate;

typedef struct rewriting {
    const conf_omission *what;
    fate fates[CONF_SCHEDULE_SESSIONS_MAX][CONF_SCHEDULE_SAMPLES_MAX];
    uint32_t used[CONF_SCHEDULE_SESSIONS_MAX]; /* numbers in the new program, bit by bit */
} rewriting;

/* Gives sample k of a session, which step i adds, a number in the new program. */
static bool keep_sample(rewriting *w, size_t i, size_t session, size_t k)
{
    fate *f = &w->fates[session][k];
    *f = (fate){.omitted = i == w->what->step && k == w->what->sample};
    if (f->omitted) return false;
    while (w->used[session] >> f->number & 1) f->number++;
    assert(f->number < CONF_SCHEDULE_SAMPLES_MAX);
    w->used[session] |= UINT32_C(1) << f->number;
    return true;
}

static void rewrite_session(rewriting *w, size_t i, size_t session, conf_schedule_session *is)
{
    const conf_schedule_session was = *is;
    is->n_samples = 0;
    for (size_t k = 0; k < was.n_samples; k++)
        if (keep_sample(w, i, session, k)) is->prompts[is->n_samples++] = was.prompts[k];
}

static bool rewrite_fork(rewriting *w, size_t i, conf_step *a)
{
    const fate *origin = &w->fates[a->from][a->origin];
    if (w->what->sessions[a->from] || origin->omitted) {
        w->fates[a->session][a->sample].omitted = true;
        return false;
    }
    a->origin = origin->number;
    if (!keep_sample(w, i, a->session, a->sample)) return false;
    a->sample = w->fates[a->session][a->sample].number;
    return true;
}

static bool rewrite_samples(const rewriting *w, conf_step *a)
{
    uint32_t samples = 0;
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++) {
        const fate *f = &w->fates[a->session][k];
        if ((a->samples >> k & 1) && !f->omitted) samples |= UINT32_C(1) << f->number;
    }
    a->samples = samples;
    return samples != 0;
}

/* Rewrites step i; false if it is left out. */
static bool rewrite_step(rewriting *w, size_t i, conf_step *a, conf_schedule *s)
{
    const fate *f = &w->fates[a->session][a->sample];
    if (!conf_op_has_session(a->op)) return true;
    if (w->what->sessions[a->session]) return false;
    switch (a->op) {
    case CONF_OP_SESSION: rewrite_session(w, i, a->session, &s->sessions[a->session]); return true;
    case CONF_OP_STEP: return rewrite_samples(w, a);
    case CONF_OP_FORK: return rewrite_fork(w, i, a);
    case CONF_OP_JOIN:
        if (!keep_sample(w, i, a->session, a->sample)) return false;
        a->sample = f->number;
        return true;
    case CONF_OP_FREE: return true;
    default:
        if (f->omitted) return false;
        if (a->op == CONF_OP_LEAVE) w->used[a->session] &= ~(UINT32_C(1) << f->number);
        a->sample = f->number;
        return true;
    }
}

void conf_schedule_omit(conf_schedule *s, const conf_omission *what)
{
    rewriting w = {.what = what};
    size_t n = 0;
    for (size_t i = 0; i < s->n_steps; i++) {
        conf_step a = s->steps[i];
        if (rewrite_step(&w, i, &a, s)) s->steps[n++] = a;
    }
    s->n_steps = n;
}

void conf_schedule_cut(conf_schedule *s, size_t end)
{
    bool sessions[CONF_SCHEDULE_SESSIONS_MAX] = {false}, models[CONF_SCHEDULE_MODELS_MAX] = {false};
    size_t n = end;
    for (size_t i = 0; i < s->n_steps; i++) {
        const conf_step a = s->steps[i];
        if (i < end) {
            if (a.op == CONF_OP_SESSION) sessions[a.session] = true;
            if (a.op == CONF_OP_OPEN || a.op == CONF_OP_LOAD) models[a.model] = true;
        } else if ((a.op == CONF_OP_FREE && sessions[a.session]) ||
                   (a.op == CONF_OP_CLOSE && models[a.model])) {
            s->steps[n++] = a;
        }
    }
    s->n_steps = n;
}
