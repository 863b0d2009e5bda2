/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/replay/follow.h"
#include "conformance/replay/session.h"
#include "conformance/support/guard.h"

/* The value that outputs are filled with: a NaN that no arithmetic gives. */
#define FILL_F32 UINT32_C(0x7FE5A5A5)
#define FILL_F64 UINT64_C(0x7FFCA5A5A5A5A5A5)

/* The buffers of one step of a call. */
typedef struct buffers {
    conf_guard tokens, logits;
} buffers;

struct conf_watch {
    conf_replay *r;
    assay_session *session;
    size_t row_bytes;
    buffers *of[2]; /* [capacity] each: of this call, and of the call before, whose pages are hidden */
    size_t capacity, current;
};

/* What the signal handler needs: the verdict of the process, and the handler that was there before. */
static conf_verdict *judged;
static struct sigaction before;

static void fail_contract(conf_verdict *v, const char *what, const char *name)
{
    conf_verdict_fail(v, CONF_CLASS_CONTRACT, "the engine %s %s", what, name);
}

/* Whether a process sent the signal: no access caused it, and there is no address. */
static bool is_sent(const siginfo_t *info)
{
    return info->si_code <= 0;
}

/* Does what would have been done without watch_faults. The handler is a default one if it is not a function;
 * a fault then happens again on return, and a signal that was sent is sent again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else if (before.sa_handler == SIG_DFL || !is_sent(info)) {
        (void)signal(number, SIG_DFL);
        if (is_sent(info)) (void)raise(number);
    }
}

/* Names the broken promise; the signal then ends the process. Other faults and signals go to the handler that
 * the engine installed before. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const conf_guard *g = judged && !is_sent(info) ? conf_guard_find(info->si_addr) : NULL;
    if (g) {
        const unsigned char *at = info->si_addr;
        const char *what = at >= g->map + g->map_bytes      ? "accesses memory beyond the end of"
                           : at < g->map                    ? "accesses memory before the start of"
                           : g->access == CONF_GUARD_HIDDEN ? "still uses, after the call,"
                                                            : "writes to";
        fail_contract(judged, what, g->name);
        (void)signal(number, SIG_DFL);
        return;
    }
    pass_on(number, info, context);
}

static void watch_faults(conf_verdict *v)
{
    if (!judged && sigaction(SIGSEGV, NULL, &before) == 0) {
        const struct sigaction action = {.sa_sigaction = on_fault,
                                         .sa_mask = before.sa_mask,
                                         .sa_flags = SA_SIGINFO | SA_ONSTACK |
                                                     (before.sa_flags & (SA_NODEFER | SA_RESTART))};
        (void)sigaction(SIGSEGV, &action, NULL);
    }
    judged = v;
}

conf_watch *conf_watch_open(conf_replay *r, size_t n_samples)
{
    assay_error err = {0};
    conf_watch *w = calloc(1, sizeof *w);
    if (!w) {
        (void)conf_replay_no_memory(r);
        return NULL;
    }
    *w = (conf_watch){.r = r, .row_bytes = r->vocab * dtype_size(r->engine->logits_dtype)};
    r->verdict->stage = CONF_STAGE_SESSION_OPEN;
    assay_status rc = conf_open_session(r->engine, r->model, n_samples, conf_replay_max_tokens(r),
                                        r->c->decoder.caches, &w->session, &err);
    if (rc == ASSAY_OK) {
        watch_faults(r->verdict);
        if (r->follow) rc = conf_follow_tap(r->follow, r->engine, w->session, &err);
        if (rc == ASSAY_OK) return w;
        r->engine->session_free(w->session);
    }
    (void)conf_replay_refused(r, rc, &err);
    free(w);
    return NULL;
}

void conf_watch_free(conf_watch *w)
{
    if (!w) return;
    const conf_stage reached = w->r->verdict->stage;
    w->r->verdict->stage = CONF_STAGE_CLOSE;
    w->r->engine->session_free(w->session);
    w->r->verdict->stage = reached;
    for (size_t i = 0; i < 2 * w->capacity; i++) {
        buffers *b = &w->of[i / w->capacity][i % w->capacity];
        conf_guard_free(&b->tokens);
        conf_guard_free(&b->logits);
    }
    free(w->of[0]);
    free(w->of[1]);
    free(w);
}

assay_session *conf_watch_session(const conf_watch *w)
{
    return w->session;
}

const assay_engine *conf_watch_engine(const conf_watch *w)
{
    return w->r->engine;
}

assay_model *conf_watch_model(const conf_watch *w)
{
    return w->r->model;
}

conf_verdict *conf_watch_verdict(const conf_watch *w)
{
    return w->r->verdict;
}

/* Guards are linked to each other and cannot be moved: a larger number of them is only allocated before any
 * is in use, or after all have been freed. */
static bool reserve_buffers(conf_watch *w, size_t n)
{
    if (n <= w->capacity) return true;
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < w->capacity; i++) {
            conf_guard_free(&w->of[k][i].tokens);
            conf_guard_free(&w->of[k][i].logits);
        }
        free(w->of[k]);
        w->of[k] = calloc(n, sizeof *w->of[k]);
    }
    w->capacity = w->of[0] && w->of[1] ? n : 0;
    if (w->capacity) return true;
    free(w->of[0]);
    free(w->of[1]);
    w->of[0] = w->of[1] = NULL;
    return conf_replay_no_memory(w->r);
}

static void fill_rows(const conf_watch *w, void *rows, size_t n)
{
    const size_t n_elements = n * w->r->vocab;
    for (size_t i = 0; i < n_elements; i++) {
        if (w->r->engine->logits_dtype == ASSAY_F64) ((uint64_t *)rows)[i] = FILL_F64;
        else ((uint32_t *)rows)[i] = FILL_F32;
    }
}

/* Index of the first element that still has the value of fill_rows, or SIZE_MAX. */
static size_t find_unwritten(const conf_watch *w, const void *rows, size_t n)
{
    const size_t n_elements = n * w->r->vocab;
    for (size_t i = 0; i < n_elements; i++)
        if (w->r->engine->logits_dtype == ASSAY_F64 ? ((const uint64_t *)rows)[i] == FILL_F64
                                                    : ((const uint32_t *)rows)[i] == FILL_F32)
            return i;
    return SIZE_MAX;
}

/* Moves the tokens and the outputs of a step to guarded pages. */
static bool guard_step(conf_watch *w, buffers *b, conf_sample_step *step)
{
    char name[CONF_GUARD_NAME_MAX];
    const size_t n_bytes = step->n_tokens * sizeof *step->tokens;
    (void)snprintf(name, sizeof name, "the tokens of sample %zu", step->sample);
    int32_t *tokens = conf_guard_take(&b->tokens, n_bytes, name);
    (void)snprintf(name, sizeof name, "the logits of sample %zu", step->sample);
    void *logits = step->n_last ? conf_guard_take(&b->logits, step->n_last * w->row_bytes, name) : NULL;
    if (!tokens || (step->n_last && !logits)) return conf_replay_no_memory(w->r);
    memcpy(tokens, step->tokens, n_bytes);
    conf_guard_protect(&b->tokens, CONF_GUARD_READ_ONLY);
    if (logits) fill_rows(w, logits, step->n_last);
    step->tokens = tokens;
    step->logits = logits;
    return true;
}

static void hide_buffers(conf_watch *w, size_t which)
{
    for (size_t i = 0; i < w->capacity; i++) {
        conf_guard_protect(&w->of[which][i].tokens, CONF_GUARD_HIDDEN);
        conf_guard_protect(&w->of[which][i].logits, CONF_GUARD_HIDDEN);
    }
}

/* Whether the engine wrote all elements of the outputs and nothing before them. */
static bool check_outputs(const conf_watch *w, const conf_sample_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const buffers *b = &w->of[w->current][i];
        if (!steps[i].n_last) continue;
        if (!conf_guard_is_intact(&b->logits)) {
            fail_contract(w->r->verdict, "writes before the start of", b->logits.name);
            return false;
        }
        const size_t at = find_unwritten(w, steps[i].logits, steps[i].n_last);
        if (at == SIZE_MAX) continue;
        fail_contract(w->r->verdict, "does not write all of", b->logits.name);
        (void)snprintf(w->r->verdict->where, sizeof w->r->verdict->where,
                       "sample %zu, row %zu of %zu, id %zu is not written", steps[i].sample, at / w->r->vocab,
                       steps[i].n_last, at % w->r->vocab);
        return false;
    }
    return true;
}

/* False, with the verdict set, if the harness has no memory. */
static bool call_step(conf_watch *w, conf_sample_step *steps, size_t n, size_t padded_width,
                      assay_status *status, assay_error *err)
{
    w->current = 1 - w->current;
    if (!reserve_buffers(w, n)) return false;
    for (size_t i = 0; i < n; i++)
        if (!guard_step(w, &w->of[w->current][i], &steps[i])) return false;
    hide_buffers(w, 1 - w->current);
    *status = conf_step_run(w->r->engine, w->session, steps, n, padded_width, err);
    for (size_t i = 0; i < n; i++) conf_guard_protect(&w->of[w->current][i].tokens, CONF_GUARD_HIDDEN);
    return true;
}

bool conf_watch_step(conf_watch *w, conf_sample_step *steps, size_t n, size_t padded_width)
{
    assay_error err = {0};
    assay_status rc;
    if (!call_step(w, steps, n, padded_width, &rc, &err)) return false;
    if (rc != ASSAY_OK) return conf_replay_refused(w->r, rc, &err);
    return check_outputs(w, steps, n);
}

bool conf_watch_step_fails(conf_watch *w, conf_sample_step *steps, size_t n, size_t padded_width,
                           assay_status status, const char *what)
{
    assay_error err = {0};
    assay_status rc;
    if (!call_step(w, steps, n, padded_width, &rc, &err)) return false;
    if (rc == status) return true;
    char found[STATUS_TEXT_MAX], expected[STATUS_TEXT_MAX];
    err.text[sizeof err.text - 1] = '\0';
    if (rc == ASSAY_OK) conf_verdict_fail(w->r->verdict, CONF_CLASS_CONTRACT, "%s does not fail", what);
    else
        conf_verdict_fail(w->r->verdict, CONF_CLASS_CONTRACT, "%s fails with %s, expected %s: %.400s", what,
                          assay_status_print(rc, found), assay_status_print(status, expected),
                          err.text[0] ? err.text : "no reason given");
    return false;
}
