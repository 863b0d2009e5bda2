/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/response.h"

#include "base/error.h"
#include "dialogue/response/body.h"
#include "dialogue/response/form.h"
#include "dialogue/response/runs.h"

#include <stdlib.h>
#include <string.h>

static void flush_output(assay_response *r, const assay_byte_sink *sink)
{
    if (r->out.n) sink->take(sink->context, r->out.data, r->out.n);
    r->out.n = 0;
}

/* Passes what was written to the sink. After a failed allocation it passes nothing, and the response may only
 * be freed. */
static assay_status finish_call(assay_response *r, const assay_byte_sink *sink, assay_error *err)
{
    if (!r->no_memory && !r->out.failed) {
        flush_output(r, sink);
        return ASSAY_OK;
    }
    r->is_over = true;
    return assay_fail(err, ASSAY_ENOMEM, "a response: out of memory");
}

/* Absent if the request has no tools. */
static assay_text tools_of(const serve_request *q)
{
    return q->request.n > 0 ? buffer_text(&q->request) : (assay_text){0};
}

/* Each choice has a parser of its own. */
static assay_status open_choices(assay_response *r, assay_error *err)
{
    const serve_request *q = &r->request;
    const assay_reply_options options = {.size = sizeof options,
                                         .reasoning = q->parser.n ? q->parser.data : NULL,
                                         .tools = q->tools.n ? q->tools.data : NULL,
                                         .request = tools_of(q),
                                         .thinking_off = q->thinking_off};
    r->choices = calloc(q->n_choices, sizeof *r->choices);
    if (!r->choices) return assay_fail(err, ASSAY_ENOMEM, "a response: out of memory");
    r->choice = r->choices;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < q->n_choices; i++) {
        r->choices[i].index = i;
        if (!r->form->raw) rc = r->serving->reply_open(&options, &r->choices[i].reply, err);
    }
    return rc;
}

static assay_status read_options(const assay_response_options *options, assay_response_options *out,
                                 assay_error *err)
{
    const assay_status rc = assay_options_read(out, sizeof *out, options, "options of a response", err);
    if (rc != ASSAY_OK) return rc;
    if (out->reserved != 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "options of a response: reserved: found %u, expected 0",
                          out->reserved);
    const char *missing = !out->endpoint     ? "endpoint"
                          : !out->request.at ? "request"
                          : !out->server.at  ? "server"
                          : !out->id         ? "id"
                                             : NULL;
    if (missing) return assay_fail(err, ASSAY_EINVAL, "options of a response: %s: found none", missing);
    return ASSAY_OK;
}

assay_status serve_response_open(const assay_serving *serving, const assay_response_options *options,
                                 assay_response **out, assay_error *err)
{
    static const serve_form *const forms[SERVE_N_ENDPOINTS] = {[SERVE_CHAT] = &serve_form_chat,
                                                               [SERVE_COMPLETIONS] = &serve_form_completions,
                                                               [SERVE_MESSAGES] = &serve_form_messages,
                                                               [SERVE_RESPONSES] = &serve_form_responses};
    assay_response_options o;
    assay_status rc = read_options(options, &o, err);
    if (rc != ASSAY_OK) return rc;
    if (!serving->reply_open)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "the serving table has no reply parser");
    assay_response *r = calloc(1, sizeof *r);
    if (!r) return assay_fail(err, ASSAY_ENOMEM, "a response: out of memory");
    r->serving = serving;
    r->created = o.created;
    buffer_append(&r->id, o.id, strlen(o.id) + 1);
    rc = serve_request_read(&o, &r->request, err);
    if (rc == ASSAY_OK && r->id.failed) rc = assay_fail(err, ASSAY_ENOMEM, "a response: out of memory");
    if (rc == ASSAY_OK) rc = serve_tools_request_open(tools_of(&r->request), &r->tools, err);
    if (rc == ASSAY_OK) {
        r->form = forms[r->request.endpoint];
        rc = open_choices(r, err);
    }
    if (rc == ASSAY_OK) *out = r;
    else serve_response_free(r);
    return rc;
}

void serve_response_free(assay_response *r)
{
    if (!r) return;
    for (size_t i = 0; r->choices && i < r->request.n_choices; i++) {
        serve_choice *c = &r->choices[i];
        if (c->reply) r->serving->reply_free(c->reply);
        serve_runs_free(c);
        serve_reports_free(&c->reports);
        buffer_free(&c->stop_sequence);
    }
    free(r->choices);
    serve_tools_request_free(r->tools);
    serve_request_free(&r->request);
    buffer_free(&r->id);
    buffer_free(&r->out);
    free(r);
}

static void begin_choice(assay_response *r)
{
    if (!r->choice->has_begun && r->request.streams) r->form->begin(r);
    r->choice->has_begun = true;
}

static void fail_response(assay_response *r, const char *text)
{
    r->is_over = true;
    if (r->request.streams) r->form->fail(r, text);
    else r->form->whole_fail(r, text);
}

static void set_finish(serve_choice *c, const assay_response_chunk *chunk)
{
    const char *reason = chunk->finish_reason ? chunk->finish_reason : "stop";
    if (strcmp(reason, "length") == 0) c->finish = SERVE_LENGTH;
    else if (strcmp(reason, "content_filter") == 0) c->finish = SERVE_FILTERED;
    else if (chunk->stop_sequence.at) c->finish = SERVE_STOP_TEXT;
    if (chunk->stop_sequence.at)
        buffer_append(&c->stop_sequence, chunk->stop_sequence.at, chunk->stop_sequence.n);
}

/* Counts new tokens to the part that the latest one has led to: a marker is part of what it ends. A parser
 * holds a call back until it is complete: the tokens after the marker that ends the reasoning before it are
 * then the call's. n_runs, n_bytes: the runs before the latest token, and the text of the last one. */
static void count_new_tokens(serve_choice *c, size_t n_runs, size_t n_bytes)
{
    if (c->n_runs == 0) return;
    const serve_run *last = &c->runs[c->n_runs - 1];
    const bool grows = c->n_runs > n_runs || last->text.n > n_bytes;
    if (c->n_runs > n_runs && last->part == ASSAY_PART_CALL && c->idle_tokens > 1)
        c->reasoning_tokens -= c->idle_tokens - 1;
    const bool thinks = last->part == ASSAY_PART_REASONING;
    if (thinks) c->reasoning_tokens += c->new_tokens;
    c->idle_tokens = thinks && !grows ? c->idle_tokens + c->new_tokens : 0;
    c->new_tokens = 0;
}

/* Ends the current choice, and the response with the last one. */
static assay_status finish_choice(assay_response *r, const assay_response_chunk *chunk, assay_error *err)
{
    const assay_sink pieces = {.take = serve_runs_receive, .context = r};
    serve_choice *c = r->choice;
    const size_t n_runs = c->n_runs, n_bytes = n_runs ? c->runs[n_runs - 1].text.n : 0;
    assay_status rc = c->reply ? r->serving->reply_end(c->reply, &pieces, err) : ASSAY_OK;
    if (rc != ASSAY_OK) return rc;
    serve_runs_end(r);
    count_new_tokens(c, n_runs, n_bytes);
    set_finish(c, chunk);
    r->no_memory = r->no_memory || c->stop_sequence.failed;
    if (c->is_open) c->runs[c->n_runs - 1].is_cut = c->finish == SERVE_LENGTH;
    serve_runs_close(r);
    if (r->request.streams) r->form->finish(r);
    c->is_over = true;
    r->is_over = ++r->n_over == r->request.n_choices;
    if (!r->is_over) return ASSAY_OK;
    if (!r->request.streams) r->form->whole(r);
    else if (r->form->end) r->form->end(r);
    return ASSAY_OK;
}

static assay_status check_open(const assay_response *r, assay_error *err)
{
    return r->is_over ? assay_fail(err, ASSAY_EINVAL, "the response is over") : ASSAY_OK;
}

/* Makes the chunk's choice the current one. */
static assay_status find_choice(assay_response *r, size_t index, assay_error *err)
{
    if (index >= r->request.n_choices)
        return assay_fail(err, ASSAY_EINVAL, "a chunk of a response: choice: found %zu, expected at most %zu",
                          index, r->request.n_choices - 1);
    if (r->choices[index].is_over)
        return assay_fail(err, ASSAY_EINVAL, "a chunk of a response: choice %zu is over", index);
    r->choice = &r->choices[index];
    return ASSAY_OK;
}

/* Reads a chunk of the current choice. */
static assay_status read_chunk(assay_response *r, const assay_response_chunk *chunk, assay_error *err)
{
    const assay_sink pieces = {.take = serve_runs_receive, .context = r};
    serve_choice *c = r->choice;
    assay_status rc = ASSAY_OK;
    if (chunk->prompt_tokens > 0) c->prompt_tokens = chunk->prompt_tokens;
    if (chunk->completion_tokens > c->completion_tokens) {
        c->new_tokens += chunk->completion_tokens - c->completion_tokens;
        c->completion_tokens = chunk->completion_tokens;
    }
    serve_reports_add(&c->reports, &r->request, chunk);
    r->no_memory = r->no_memory || c->reports.no_memory;
    begin_choice(r);
    if (r->form->raw) {
        if (r->request.echo) serve_runs_receive_raw(r, chunk->prompt_text);
        serve_runs_receive_raw(r, chunk->new_text);
    } else if (chunk->new_text.n) {
        const size_t n_runs = c->n_runs, n_bytes = n_runs ? c->runs[n_runs - 1].text.n : 0;
        rc = r->serving->reply_feed(c->reply, chunk->new_text.at, chunk->new_text.n, &pieces, err);
        count_new_tokens(c, n_runs, n_bytes);
    }
    return rc == ASSAY_OK && chunk->finished ? finish_choice(r, chunk, err) : rc;
}

assay_status serve_response_chunk(assay_response *r, const assay_response_chunk *given,
                                  const assay_byte_sink *sink, assay_error *err)
{
    assay_response_chunk chunk;
    assay_status rc = assay_options_read(&chunk, sizeof chunk, given, "a chunk of a response", err);
    if (rc == ASSAY_OK) rc = check_open(r, err);
    if (rc == ASSAY_OK) rc = find_choice(r, chunk.choice, err);
    if (rc != ASSAY_OK) return rc;
    if (chunk.finished && chunk.finish_reason && strcmp(chunk.finish_reason, "error") == 0)
        return serve_response_fail(r, "the engine failed", sink, err);
    rc = read_chunk(r, &chunk, err);
    if (rc == ASSAY_OK) return finish_call(r, sink, err);
    r->is_over = true;
    return rc;
}

assay_status serve_response_fail(assay_response *r, const char *text, const assay_byte_sink *sink,
                                 assay_error *err)
{
    assay_status rc = check_open(r, err);
    if (rc != ASSAY_OK) return rc;
    fail_response(r, text);
    return finish_call(r, sink, err);
}

assay_status serve_response_end(assay_response *r, const assay_byte_sink *sink, assay_error *err)
{
    if (r->is_over) return ASSAY_OK;
    return serve_response_fail(r, "the engine ended without a reason", sink, err);
}
