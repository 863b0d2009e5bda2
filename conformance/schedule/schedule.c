/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/schedule.h"

#include "base/error.h"

const char *const conf_op_names[CONF_N_OPS] = {"open", "load",  "wait",   "session", "row",  "step",
                                               "join", "leave", "rewind", "fork",    "free", "close"};

conf_offer conf_offer_of(const assay_engine *engine)
{
    return (conf_offer){.join = engine->join != NULL,
                        .leave = engine->leave != NULL,
                        .rewind = engine->rewind != NULL,
                        .fork = engine->fork != NULL};
}

bool conf_offer_has(const conf_offer *offer, conf_op op)
{
    switch (op) {
    case CONF_OP_JOIN: return offer->join;
    case CONF_OP_LEAVE: return offer->leave;
    case CONF_OP_REWIND: return offer->rewind;
    case CONF_OP_FORK: return offer->fork;
    default: return true;
    }
}

bool conf_op_has_model(conf_op op)
{
    return op <= CONF_OP_SESSION || op == CONF_OP_CLOSE;
}

bool conf_op_has_session(conf_op op)
{
    return op >= CONF_OP_SESSION && op <= CONF_OP_FREE;
}

bool conf_op_has_sample(conf_op op)
{
    return op == CONF_OP_ROW || (op >= CONF_OP_JOIN && op <= CONF_OP_FORK);
}

bool conf_step_uses(const conf_step *step, size_t session)
{
    return conf_op_has_session(step->op) &&
           (step->session == session || (step->op == CONF_OP_FORK && step->from == session));
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
    if (conf_op_has_session(a->op) && conf_step_uses(b, a->session)) return true;
    if (a->op == CONF_OP_FORK && conf_step_uses(b, a->from)) return true;
    if (a->op == CONF_OP_WAIT) return b->op == CONF_OP_LOAD && b->model == a->model;
    if (a->op == CONF_OP_CLOSE && b->op == CONF_OP_FREE)
        return s->steps[conf_schedule_opener(s, k)].model == a->model;
    if (a->op == CONF_OP_SESSION || a->op == CONF_OP_CLOSE)
        return b->op <= CONF_OP_WAIT && b->model == a->model;
    return false;
}

assay_status conf_schedule_fits(const conf_schedule *s, const conf_case *c, assay_error *err)
{
    const conf_decoder *d = &c->decoder;
    for (size_t i = 0; i < s->n_steps; i++) {
        const conf_step *a = &s->steps[i];
        const conf_schedule_session *session = &s->sessions[a->session];
        const size_t n = a->op == CONF_OP_SESSION ? session->n_samples : a->op == CONF_OP_JOIN;
        const size_t *prompts = a->op == CONF_OP_SESSION ? session->prompts : &a->prompt;
        for (size_t k = 0; k < n; k++)
            if (prompts[k] >= d->n_samples)
                return assay_fail(err, ASSAY_EINVAL, "%s has %zu samples, found prompt %zu in session %zu",
                                  c->path, d->n_samples, prompts[k], a->session);
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

static void print_samples(FILE *out, uint32_t samples)
{
    const char *before = ": samples ";
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++) {
        if (!(samples >> k & 1)) continue;
        (void)fprintf(out, "%s%zu", before, k);
        before = ",";
    }
}

/* Prints the arguments of the operation after its session. */
static void print_arguments(FILE *out, const conf_step *a, const conf_schedule_session *session)
{
    if (a->op == CONF_OP_SESSION) (void)fprintf(out, " of model %zu", a->model);
    for (size_t k = 0; a->op == CONF_OP_SESSION && k < session->n_samples; k++)
        (void)fprintf(out, "%s%zu", k ? "," : ": prompts ", session->prompts[k]);
    if (conf_op_has_sample(a->op)) (void)fprintf(out, ": sample %zu", a->sample);
    if (a->op == CONF_OP_JOIN) (void)fprintf(out, ", prompt %zu", a->prompt);
    if (a->op == CONF_OP_REWIND)
        (void)fprintf(out, ", to %zu token%s", a->n_tokens, a->n_tokens == 1 ? "" : "s");
    if (a->op == CONF_OP_FORK) (void)fprintf(out, ", of sample %zu of session %zu", a->origin, a->from);
    if (a->op != CONF_OP_STEP) return;
    print_samples(out, a->samples);
    if (a->n_tokens) (void)fprintf(out, ", %zu token%s", a->n_tokens, a->n_tokens == 1 ? "" : "s");
    else (void)fputs(", rest of the prompt", out);
    (void)fputs(a->all_rows ? ", all rows" : ", last row", out);
}

void conf_schedule_print(FILE *out, const char *prefix, const conf_schedule *s)
{
    for (size_t i = 0; i < s->n_steps; i++) {
        const conf_step *a = &s->steps[i];
        (void)fprintf(out, "%s%3zu  thread %-2zu  %-8s", prefix, i + 1, a->thread, conf_op_names[a->op]);
        if (conf_op_has_session(a->op)) {
            (void)fprintf(out, "  session %zu", a->session);
            print_arguments(out, a, &s->sessions[a->session]);
        } else {
            (void)fprintf(out, "  model %zu", a->model);
        }
        (void)fputc('\n', out);
    }
}
