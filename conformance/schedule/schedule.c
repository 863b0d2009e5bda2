/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/schedule.h"

#include <string.h>

#include "base/error.h"

const char *const conf_op_names[CONF_N_OPS] = {"open",    "load",         "wait",   "session", "row",
                                               "prefill", "prefill_last", "decode", "free",    "close"};

bool conf_op_has_model(conf_op op)
{
    return op <= CONF_OP_SESSION || op == CONF_OP_CLOSE;
}

bool conf_op_has_session(conf_op op)
{
    return op >= CONF_OP_SESSION && op <= CONF_OP_FREE;
}

size_t conf_schedule_threads(const conf_schedule *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_steps; i++)
        if (s->steps[i].thread >= n) n = s->steps[i].thread + 1;
    return n;
}

size_t conf_schedule_opener(const conf_schedule *s, size_t i)
{
    size_t k = 0;
    while (k < s->n_steps &&
           (s->steps[k].op != CONF_OP_SESSION || s->steps[k].session != s->steps[i].session))
        k++;
    return k;
}

bool conf_schedule_waits(const conf_schedule *s, size_t i, size_t k)
{
    const conf_step *a = &s->steps[i], *b = &s->steps[k];
    if (conf_op_has_session(a->op) && conf_op_has_session(b->op) && a->session == b->session) return true;
    if (a->op == CONF_OP_WAIT) return b->op == CONF_OP_LOAD && b->model == a->model;
    if (a->op == CONF_OP_CLOSE && b->op == CONF_OP_FREE)
        return s->steps[conf_schedule_opener(s, k)].model == a->model;
    if (a->op == CONF_OP_SESSION || a->op == CONF_OP_CLOSE)
        return b->op <= CONF_OP_WAIT && b->model == a->model;
    return false;
}

/* State of a model or session. */
typedef enum condition { UNKNOWN, LOADING, OPEN, PREFILLED, CLOSED } condition;

typedef struct walk {
    const conf_schedule *s;
    size_t step;
    condition models[CONF_SCHEDULE_MODELS_MAX], sessions[CONF_SCHEDULE_SESSIONS_MAX];
    bool loaded[CONF_SCHEDULE_MODELS_MAX];
    size_t model_of[CONF_SCHEDULE_SESSIONS_MAX], n_decodes[CONF_SCHEDULE_SESSIONS_MAX];
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
    if (a->session >= CONF_SCHEDULE_SESSIONS_MAX) return refuse_step(w, "sessions go from 0 to 127");
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
    size_t n = w->s->sessions[a->session].n_samples;
    if (w->sessions[a->session] != UNKNOWN) return refuse_step(w, "a session is opened once");
    if (w->models[a->model] == LOADING) return refuse_step(w, "no thread has waited for the model");
    if (w->models[a->model] != OPEN) return refuse_step(w, "the model is not open");
    if (n == 0 || n > CONF_SCHEDULE_SAMPLES_MAX) return refuse_step(w, "a session has 1 to 16 samples");
    w->sessions[a->session] = OPEN;
    w->model_of[a->session] = a->model;
    return ASSAY_OK;
}

static assay_status check_session(walk *w, const conf_step *a)
{
    condition *session = &w->sessions[a->session];
    if (a->op == CONF_OP_SESSION) return check_new_session(w, a);
    if (*session != OPEN && *session != PREFILLED) return refuse_step(w, "the session is not open");
    switch (a->op) {
    case CONF_OP_ROW:
        if (a->row >= w->s->sessions[a->session].n_samples)
            return refuse_step(w, "the batch has no such row");
        return ASSAY_OK;
    case CONF_OP_PREFILL:
    case CONF_OP_PREFILL_LAST:
        *session = PREFILLED;
        w->n_decodes[a->session] = 0;
        return ASSAY_OK;
    case CONF_OP_DECODE:
        if (*session != PREFILLED) return refuse_step(w, "the session has not been prefilled");
        if (++w->n_decodes[a->session] > CONF_SCHEDULE_DECODES_MAX)
            return refuse_step(w, "at most 64 steps follow a prefill");
        return ASSAY_OK;
    default: *session = CLOSED; return ASSAY_OK;
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

assay_status conf_schedule_fits(const conf_schedule *s, const conf_case *c, assay_error *err)
{
    const conf_decoder *d = &c->decoder;
    for (size_t i = 0; i < s->n_steps; i++) {
        const conf_step *a = &s->steps[i];
        const conf_schedule_session *session = &s->sessions[a->session];
        if (a->op != CONF_OP_SESSION) continue;
        for (size_t k = 0; k < session->n_samples; k++)
            if (session->samples[k] >= d->n_samples)
                return assay_fail(err, ASSAY_EINVAL, "%s has %zu samples, found sample %zu in session %zu",
                                  c->path, d->n_samples, session->samples[k], a->session);
    }
    return ASSAY_OK;
}

void conf_schedule_name_step(const conf_schedule *s, size_t i, char *text, size_t size)
{
    const conf_step *a = &s->steps[i];
    bool of_session = conf_op_has_session(a->op);
    (void)snprintf(text, size, "step %zu (thread %zu, %s, %s %zu)", i + 1, a->thread, conf_op_names[a->op],
                   of_session ? "session" : "model", of_session ? a->session : a->model);
}

void conf_schedule_print(FILE *out, const char *prefix, const conf_schedule *s)
{
    for (size_t i = 0; i < s->n_steps; i++) {
        const conf_step *a = &s->steps[i];
        const conf_schedule_session *session = &s->sessions[a->session];
        (void)fprintf(out, "%s%3zu  thread %-2zu  %-12s", prefix, i + 1, a->thread, conf_op_names[a->op]);
        if (conf_op_has_session(a->op)) (void)fprintf(out, "  session %zu", a->session);
        if (a->op == CONF_OP_ROW) (void)fprintf(out, ", row %zu", a->row);
        if (conf_op_has_model(a->op))
            (void)fprintf(out, "%s model %zu", a->op == CONF_OP_SESSION ? " of" : " ", a->model);
        for (size_t k = 0; a->op == CONF_OP_SESSION && k < session->n_samples; k++)
            (void)fprintf(out, "%s%zu", k ? "," : ": samples ", session->samples[k]);
        (void)fputc('\n', out);
    }
}
