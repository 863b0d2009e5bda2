/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/check.h"

#include "base/error.h"

/* State of a model or session. */
typedef enum condition { UNKNOWN, LOADING, OPEN, CLOSED } condition;

/* A sample of a session: whether the session has it, and at most how many tokens after its prompt. */
typedef struct member {
    bool is_there;
    size_t n_tokens;
} member;

typedef struct walk {
    const conf_schedule *s;
    size_t step;
    condition models[CONF_SCHEDULE_MODELS_MAX], sessions[CONF_SCHEDULE_SESSIONS_MAX];
    bool loaded[CONF_SCHEDULE_MODELS_MAX];
    size_t model_of[CONF_SCHEDULE_SESSIONS_MAX];
    member samples[CONF_SCHEDULE_SESSIONS_MAX][CONF_SCHEDULE_SAMPLES_MAX];
    assay_error *err;
} walk;

static assay_status refuse_step(const walk *w, const char *why)
{
    char step[128];
    conf_schedule_name_step(w->s, w->step, step, sizeof step);
    return assay_fail(w->err, ASSAY_EINVAL, "%s: %s", step, why);
}

static assay_status check_numbers(const walk *w, const conf_step *a)
{
    if (a->thread >= CONF_SCHEDULE_THREADS_MAX) return refuse_step(w, "threads go from 0 to 63");
    if (a->model >= CONF_SCHEDULE_MODELS_MAX) return refuse_step(w, "models go from 0 to 31");
    if (a->session >= CONF_SCHEDULE_SESSIONS_MAX || a->from >= CONF_SCHEDULE_SESSIONS_MAX)
        return refuse_step(w, "sessions go from 0 to 127");
    if (a->sample >= CONF_SCHEDULE_SAMPLES_MAX || a->origin >= CONF_SCHEDULE_SAMPLES_MAX)
        return refuse_step(w, "samples go from 0 to 15");
    return ASSAY_OK;
}

static bool has_sessions(const walk *w, size_t model)
{
    for (size_t k = 0; k < CONF_SCHEDULE_SESSIONS_MAX; k++)
        if (w->sessions[k] != UNKNOWN && w->sessions[k] != CLOSED && w->model_of[k] == model) return true;
    return false;
}

static assay_status check_model(walk *w, const conf_step *a)
{
    condition *model = &w->models[a->model];
    switch (a->op) {
    case CONF_OP_OPEN:
    case CONF_OP_LOAD:
        if (*model != UNKNOWN) return refuse_step(w, "a model is opened once");
        w->loaded[a->model] = a->op == CONF_OP_LOAD;
        *model = a->op == CONF_OP_LOAD ? LOADING : OPEN;
        return ASSAY_OK;
    case CONF_OP_WAIT:
        if (!w->loaded[a->model] || *model == CLOSED) return refuse_step(w, "the model is not being loaded");
        *model = OPEN;
        return ASSAY_OK;
    default:
        if (*model == UNKNOWN || *model == CLOSED) return refuse_step(w, "the model is not open");
        if (has_sessions(w, a->model)) return refuse_step(w, "the model still has sessions");
        *model = CLOSED;
        return ASSAY_OK;
    }
}

static assay_status check_new_session(walk *w, const conf_step *a)
{
    const size_t n = w->s->sessions[a->session].n_samples;
    if (w->sessions[a->session] != UNKNOWN) return refuse_step(w, "a session is opened once");
    if (w->models[a->model] == LOADING) return refuse_step(w, "no thread has waited for the model");
    if (w->models[a->model] != OPEN) return refuse_step(w, "the model is not open");
    if (n > CONF_SCHEDULE_SAMPLES_MAX) return refuse_step(w, "a session has at most 16 samples");
    w->sessions[a->session] = OPEN;
    w->model_of[a->session] = a->model;
    for (size_t k = 0; k < n; k++) w->samples[a->session][k].is_there = true;
    return ASSAY_OK;
}

static assay_status check_step(walk *w, const conf_step *a)
{
    const size_t n = a->n_tokens ? a->n_tokens : 1;
    if (!a->samples) return refuse_step(w, "a step has at least one sample");
    if (a->samples >> CONF_SCHEDULE_SAMPLES_MAX) return refuse_step(w, "samples go from 0 to 15");
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++) {
        member *m = &w->samples[a->session][k];
        if (!(a->samples >> k & 1)) continue;
        if (!m->is_there) return refuse_step(w, "the session has no such sample");
        if (n > CONF_SCHEDULE_TOKENS_MAX - m->n_tokens)
            return refuse_step(w, "the steps of a sample have at most 256 tokens");
        m->n_tokens += n;
    }
    return ASSAY_OK;
}

/* An operation that adds a sample. */
static assay_status check_added(walk *w, const conf_step *a)
{
    member *m = &w->samples[a->session][a->sample];
    const member *origin = &w->samples[a->from][a->origin];
    if (m->is_there) return refuse_step(w, "the session has a sample of this number");
    if (a->op == CONF_OP_FORK) {
        if (w->sessions[a->from] != OPEN)
            return refuse_step(w, "the session that it copies from is not open");
        if (w->model_of[a->from] != w->model_of[a->session])
            return refuse_step(w, "the sessions have different models");
        if (!origin->is_there) return refuse_step(w, "there is no such sample to copy");
    }
    *m = (member){.is_there = true, .n_tokens = a->op == CONF_OP_FORK ? origin->n_tokens : 0};
    return ASSAY_OK;
}

static assay_status check_session(walk *w, const conf_step *a)
{
    if (a->op == CONF_OP_SESSION) return check_new_session(w, a);
    if (w->sessions[a->session] != OPEN) return refuse_step(w, "the session is not open");
    switch (a->op) {
    case CONF_OP_STEP: return check_step(w, a);
    case CONF_OP_JOIN:
    case CONF_OP_FORK: return check_added(w, a);
    case CONF_OP_FREE: w->sessions[a->session] = CLOSED; return ASSAY_OK;
    default:
        if (!w->samples[a->session][a->sample].is_there)
            return refuse_step(w, "the session has no such sample");
        if (a->op == CONF_OP_LEAVE) w->samples[a->session][a->sample].is_there = false;
        return ASSAY_OK;
    }
}

static assay_status check_end(const walk *w)
{
    for (size_t k = 0; k < CONF_SCHEDULE_SESSIONS_MAX; k++)
        if (w->sessions[k] != UNKNOWN && w->sessions[k] != CLOSED)
            return assay_fail(w->err, ASSAY_EINVAL, "session %zu is never freed", k);
    for (size_t k = 0; k < CONF_SCHEDULE_MODELS_MAX; k++)
        if (w->models[k] != UNKNOWN && w->models[k] != CLOSED)
            return assay_fail(w->err, ASSAY_EINVAL, "model %zu is never closed", k);
    return ASSAY_OK;
}

assay_status conf_schedule_check(const conf_schedule *s, assay_error *err)
{
    walk w = {.s = s, .err = err};
    if (s->n_workers == 0 || s->n_workers > CONF_SCHEDULE_WORKERS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "workers: found %zu, expected 1 to %d", s->n_workers,
                          CONF_SCHEDULE_WORKERS_MAX);
    if (s->n_steps == 0 || s->n_steps > CONF_SCHEDULE_STEPS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "steps: found %zu, expected 1 to %d", s->n_steps,
                          CONF_SCHEDULE_STEPS_MAX);
    for (w.step = 0; w.step < s->n_steps; w.step++) {
        const conf_step *a = &s->steps[w.step];
        assay_status rc = check_numbers(&w, a);
        if (rc == ASSAY_OK) rc = conf_op_has_session(a->op) ? check_session(&w, a) : check_model(&w, a);
        if (rc != ASSAY_OK) return rc;
    }
    return check_end(&w);
}
