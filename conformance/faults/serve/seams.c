/* The seams: where the server calls a function f of another of its files, the linker makes it call __wrap_f,
 * defined here; __real_f is the server's own. SERVE_SEAMS of local.mk must name the same functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/faults/serve/fault.h"
#include "server/evaluate/answer.h"
#include "server/request/read.h"

__typeof__(server_model_open) __real_server_model_open, __wrap_server_model_open;
__typeof__(server_request_read) __real_server_request_read, __wrap_server_request_read;
__typeof__(server_sample_open) __real_server_sample_open, __wrap_server_sample_open;
__typeof__(server_answer_chunk) __real_server_answer_chunk, __wrap_server_answer_chunk;
__typeof__(server_logprobs_of) __real_server_logprobs_of, __wrap_server_logprobs_of;
__typeof__(server_run_take) __real_server_run_take, __wrap_server_run_take;
__typeof__(server_run_close) __real_server_run_close, __wrap_server_run_close;
__typeof__(server_batch_run) __real_server_batch_run, __wrap_server_batch_run;
__typeof__(server_exchange_begin) __real_server_exchange_begin, __wrap_server_exchange_begin;
__typeof__(server_exchange_put) __real_server_exchange_put, __wrap_server_exchange_put;
__typeof__(server_metrics_get) __real_server_metrics_get, __wrap_server_metrics_get;

assay_status __wrap_server_model_open(const server_model_options *options, server_model **out,
                                      assay_error *err)
{
    const assay_status rc = __real_server_model_open(options, out, err);
    const served_fault *f;
    for (size_t i = 0; rc == ASSAY_OK && (f = served_planted(i)); i++)
        if (f->model) f->model(*out);
    return rc;
}

static void ignore_members(json_object *body, const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ') {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        json_object_object_del(body, name);
    }
}

/* member: "name=value". */
static void add_member(json_object *body, const char *member)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(member, "="), member);
    if (!json_object_object_get_ex(body, name, NULL))
        json_object_object_add(body, name, json_tokener_parse(member + strlen(name) + 1));
}

/* Changes the body of a request; NULL: no fault does. The caller frees it. */
static json_object *change_body(assay_text text)
{
    const served_fault *f;
    json_object *body = NULL;
    for (size_t i = 0; (f = served_planted(i)); i++) {
        if (!f->ignored && !f->otherwise && !f->body) continue;
        if (!body && json_parse("a request", text.at, text.n, &body, NULL) != ASSAY_OK) return NULL;
        if (!json_object_is_type(body, json_type_object)) break;
        if (f->ignored) ignore_members(body, f->ignored);
        if (f->otherwise) add_member(body, f->otherwise);
        if (f->body) f->body(body);
    }
    return body;
}

assay_status __wrap_server_request_read(const server_requests *requests, serve_endpoint endpoint,
                                        assay_text body, const server_wanted *wanted, server_request **out,
                                        server_refusal *refusal)
{
    const served_fault *f;
    json_object *changed = change_body(body);
    const char *text = changed ? json_object_to_json_string_ext(changed, JSON_C_TO_STRING_PLAIN) : NULL;
    if (text) body = (assay_text){text, strlen(text)};
    const assay_status rc = __real_server_request_read(requests, endpoint, body, wanted, out, refusal);
    for (size_t i = 0; rc == ASSAY_OK && (f = served_planted(i)); i++)
        if (f->request) f->request(*out);
    json_object_put(changed);
    return rc;
}

/* Whether a planted fault has a property. */
#define ANY_PLANTED(member)                                                                                  \
    static bool any_##member(void)                                                                           \
    {                                                                                                        \
        const served_fault *f;                                                                               \
        for (size_t i = 0; (f = served_planted(i)); i++)                                                     \
            if (f->member) return true;                                                                      \
        return false;                                                                                        \
    }
ANY_PLANTED(no_stop_texts)
ANY_PLANTED(one_choice)
ANY_PLANTED(leaks)
ANY_PLANTED(silent)
ANY_PLANTED(logits)

assay_status __wrap_server_sample_open(const server_model *model, server_job *job, size_t choice,
                                       server_sample **out, assay_error *err)
{
    const size_t n = job->request->n_stop_texts;
    const uint64_t seed = job->seed;
    if (any_no_stop_texts()) job->request->n_stop_texts = 0;
    if (any_one_choice()) job->seed -= choice; /* which the sample adds again */
    const assay_status rc = __real_server_sample_open(model, job, choice, out, err);
    job->request->n_stop_texts = n;
    job->seed = seed;
    return rc;
}

assay_status __wrap_server_answer_chunk(server_job *job, const assay_response_chunk *chunk, assay_error *err)
{
    assay_response_chunk changed = *chunk;
    const served_fault *f;
    for (size_t i = 0; (f = served_planted(i)); i++) {
        if (f->chunk) f->chunk(&changed);
        if (f->report) f->report(job->request, &changed);
    }
    return __real_server_answer_chunk(job, &changed, err);
}

/* The run whose logits are taken; NULL: those of a prompt are. */
static const server_run *taking;
static size_t vocab;

void __wrap_server_run_take(const server_worker *w, server_run *run, const void *logits)
{
    taking = run;
    vocab = w->model->vocab;
    __real_server_run_take(w, run, logits);
    taking = NULL;
}

assay_status __wrap_server_logprobs_of(server_logprobs *l, const void *logits, assay_dtype dtype,
                                       int32_t token, size_t n_top, assay_token_logprob *top,
                                       assay_logprobs *out, assay_error *err)
{
    const served_fault *f;
    float *changed = NULL;
    if (any_logits() && taking && dtype == ASSAY_F32) {
        changed = malloc(vocab * sizeof *changed);
        if (!changed) return assay_fail(err, ASSAY_ENOMEM, "a fault: out of memory");
        memcpy(changed, logits, vocab * sizeof *changed);
        for (size_t i = 0; (f = served_planted(i)); i++)
            if (f->logits) f->logits(taking, changed, vocab);
    }
    const assay_status rc =
        __real_server_logprobs_of(l, changed ? changed : logits, dtype, token, n_top, top, out, err);
    free(changed);
    for (size_t i = 0; rc == ASSAY_OK && (f = served_planted(i)); i++)
        if (f->logprobs) f->logprobs(out, top);
    return rc;
}

void __wrap_server_batch_run(const server_model *model, server_metrics *metrics, server_turn *turns, size_t n)
{
    const served_fault *f;
    for (size_t i = 0; (f = served_planted(i)); i++)
        if (f->before) f->before(turns, n);
    __real_server_batch_run(model, metrics, turns, n);
    for (size_t i = 0; (f = served_planted(i)); i++)
        if (f->after) f->after(turns, n, model->vocab);
}

/* Samples that were never removed; changed by the evaluating thread only. */
static int64_t n_leaked;

void __wrap_server_run_close(const server_worker *w, server_run *run)
{
    if (any_leaks() && run->seat.session && server_exchange_is_abandoned(run->task->job->exchange)) {
        n_leaked++;
        run->seat = (server_seat){0};
    }
    __real_server_run_close(w, run);
}

/* The scheduler adds to the gauge what it lacks: the leaked samples stay in it. */
int64_t __wrap_server_metrics_get(server_metrics *m, server_count count)
{
    return __real_server_metrics_get(m, count) - (count == SERVER_GAUGE_RUNNING ? n_leaked : 0);
}

/* The exchange that this thread answers with silence. */
static _Thread_local const server_exchange *silenced;

void __wrap_server_exchange_begin(server_exchange *x, int status, const char *content_type)
{
    const bool silent = any_silent() && status == 404;
    silenced = silent ? x : NULL;
    __real_server_exchange_begin(x, silent ? 200 : status, content_type);
}

static void replace_text(const char *from, const char *to, const char *bytes, size_t n, buffer *out)
{
    const size_t n_from = strlen(from);
    for (const char *at; (at = memmem(bytes, n, from, n_from));) {
        const size_t before = (size_t)(at - bytes);
        (void)buffer_append(out, bytes, before);
        (void)buffer_append_string(out, to);
        bytes += before + n_from;
        n -= before + n_from;
    }
    (void)buffer_append(out, bytes, n);
}

bool __wrap_server_exchange_put(server_exchange *x, const char *bytes, size_t n)
{
    const served_fault *f;
    buffer all[2] = {{0}, {0}};
    size_t at = 0;
    if (x == silenced) return true;
    for (size_t i = 0; (f = served_planted(i)); i++) {
        if (!f->from && !f->piece) continue;
        all[at].n = 0;
        if (f->from) replace_text(f->from, f->to, bytes, n, &all[at]);
        else f->piece(bytes, n, &all[at]);
        bytes = all[at].n ? all[at].data : "";
        n = all[at].n;
        at = 1 - at;
    }
    const bool ok = !all[0].failed && !all[1].failed && (n == 0 || __real_server_exchange_put(x, bytes, n));
    buffer_free(&all[0]);
    buffer_free(&all[1]);
    return ok;
}
