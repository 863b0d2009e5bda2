/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/response/response.h"

#include "base/error.h"
#include "base/grow.h"
#include "base/json.h"
#include "serving/response/body.h"
#include "serving/response/form.h"
#include "serving/text/escape.h"
#include "serving/text/text.h"
#include "serving/tools/types.h"

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
    return assay_fail(err, ASSAY_ENOMEM, "a response of %zu runs: out of memory", r->n_runs);
}

/* Makes the arguments of a call JSON, in the types that the request declares; if the model wrote no JSON,
 * they become a JSON string. */
static void check_arguments(assay_response *r, serve_run *run)
{
    buffer made = {0};
    if (run->text.n == 0) buffer_append_string(&run->text, "{}");
    const assay_text said = buffer_text(&run->text);
    const assay_status rc = json_check("arguments", said.at, said.n, NULL);
    const bool valid = rc == ASSAY_OK;
    if (!valid) serve_append_quoted(&made, said);
    const bool changed = !valid || serve_tools_types(r->tools, buffer_text(&run->name), said, &made);
    r->no_memory = r->no_memory || rc == ASSAY_ENOMEM || made.failed;
    if (!changed) {
        buffer_free(&made);
        return;
    }
    buffer_free(&run->text);
    run->text = made;
}

static void close_run(assay_response *r)
{
    if (!r->is_open) return;
    serve_run *run = &r->runs[r->n_runs - 1];
    r->is_open = false;
    if (run->part == ASSAY_PART_CALL) check_arguments(r, run);
    if (r->request.streams) r->form->close(r, run);
}

/* NULL if an allocation failed. */
static serve_run *open_run(assay_response *r, assay_part part)
{
    close_run(r);
    serve_run *runs = grow_by_one(r->runs, r->n_runs, sizeof *runs);
    r->no_memory = r->no_memory || !runs;
    if (!runs) return NULL;
    r->runs = runs;
    serve_run *run = &r->runs[r->n_runs];
    *run = (serve_run){.part = part, .index = r->n_runs, .call = r->n_calls};
    r->n_runs++;
    r->n_calls += part == ASSAY_PART_CALL;
    r->is_open = true;
    for (size_t i = 0; i <= ASSAY_PART_REASONING && !r->form->fields; i++)
        if (i != (size_t)part) r->space[i].n = 0;
    if (r->request.streams && part != ASSAY_PART_CALL) r->form->open(r, run);
    return run;
}

static void add_text(assay_response *r, serve_run *run, assay_text text)
{
    buffer_append(&run->text, text.at, text.n);
    r->no_memory = r->no_memory || run->text.failed;
    if (r->request.streams && run->part != ASSAY_PART_CALL) r->form->delta(r, run, text);
}

static bool is_space(const buffer *text)
{
    size_t at = 0;
    for (size_t n; at < text->n && (n = serve_text_space(text->data + at, text->n - at)) > 0;) at += n;
    return at == text->n;
}

/* Adds reasoning or content. */
static void receive_text(assay_response *r, assay_part part, assay_text text)
{
    if (r->is_open && r->runs[r->n_runs - 1].part == part) {
        add_text(r, &r->runs[r->n_runs - 1], text);
        return;
    }
    buffer *space = &r->space[part];
    const size_t n_before = space->n;
    const buffer added = {.data = (char *)(uintptr_t)text.at, .n = text.n};
    buffer_append(space, text.at, text.n);
    r->no_memory = r->no_memory || space->failed;
    if (is_space(&added) || space->n != n_before + text.n) return;
    serve_run *run = open_run(r, part);
    if (run) add_text(r, run, buffer_text(space));
    space->n = 0;
}

static void receive_content(void *context, assay_text text)
{
    receive_text(context, ASSAY_PART_CONTENT, text);
}

static void receive_piece(void *context, assay_part part, const char *text, size_t n)
{
    assay_response *r = context;
    serve_run *run;
    if (part == ASSAY_PART_REASONING || part == ASSAY_PART_CALL)
        serve_special_end(&r->special, receive_content, r);
    switch (part) {
    case ASSAY_PART_CONTENT:
        serve_special_feed(&r->special, (assay_text){text, n}, receive_content, r);
        return;
    case ASSAY_PART_REASONING: receive_text(r, part, (assay_text){text, n}); return;
    case ASSAY_PART_CALL:
        run = open_run(r, part);
        if (run) buffer_append(&run->name, text, n);
        r->no_memory = r->no_memory || !run || run->name.failed;
        return;
    case ASSAY_PART_ARGUMENTS:
        if (r->is_open) add_text(r, &r->runs[r->n_runs - 1], (assay_text){text, n});
        return;
    }
}

/* Absent if the request has no tools. */
static assay_text tools_of(const serve_request *q)
{
    return q->request.n > 0 ? buffer_text(&q->request) : (assay_text){0};
}

static assay_status open_reply(assay_response *r, assay_error *err)
{
    const serve_request *q = &r->request;
    const assay_reply_options options = {.size = sizeof options,
                                         .reasoning = q->parser.n ? q->parser.data : NULL,
                                         .tools = q->tools.n ? q->tools.data : NULL,
                                         .request = tools_of(q),
                                         .thinking_off = q->thinking_off};
    return r->serving->reply_open(&options, &r->reply, err);
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
    static const serve_form *const forms[SERVE_N_ENDPOINTS] = {&serve_form_chat, &serve_form_messages,
                                                               &serve_form_responses};
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
    if (rc == ASSAY_OK) rc = open_reply(r, err);
    if (rc != ASSAY_OK) {
        serve_response_free(r);
        return rc;
    }
    r->form = forms[r->request.endpoint];
    *out = r;
    return ASSAY_OK;
}

void serve_response_free(assay_response *r)
{
    if (!r) return;
    if (r->reply) r->serving->reply_free(r->reply);
    for (size_t i = 0; i < r->n_runs; i++) {
        buffer_free(&r->runs[i].name);
        buffer_free(&r->runs[i].text);
    }
    free(r->runs);
    serve_tools_request_free(r->tools);
    for (size_t i = 0; i <= ASSAY_PART_REASONING; i++) buffer_free(&r->space[i]);
    serve_request_free(&r->request);
    buffer_free(&r->stop_sequence);
    buffer_free(&r->id);
    buffer_free(&r->out);
    free(r);
}

static void begin_response(assay_response *r)
{
    if (!r->has_begun && r->request.streams) r->form->begin(r);
    r->has_begun = true;
}

static void fail_response(assay_response *r, const char *text)
{
    r->is_over = true;
    if (r->request.streams) r->form->fail(r, text);
    else r->form->whole_fail(r, text);
}

static assay_status finish_response(assay_response *r, const assay_response_chunk *chunk, assay_error *err)
{
    const assay_sink pieces = {.take = receive_piece, .context = r};
    const char *reason = chunk->finish_reason ? chunk->finish_reason : "stop";
    assay_status rc = r->serving->reply_end(r->reply, &pieces, err);
    r->is_over = true;
    if (rc != ASSAY_OK) return rc;
    serve_special_end(&r->special, receive_content, r);
    if (strcmp(reason, "length") == 0) r->finish = SERVE_LENGTH;
    else if (strcmp(reason, "content_filter") == 0) r->finish = SERVE_FILTERED;
    else if (chunk->stop_sequence.at) r->finish = SERVE_STOP_TEXT;
    if (chunk->stop_sequence.at)
        buffer_append(&r->stop_sequence, chunk->stop_sequence.at, chunk->stop_sequence.n);
    if (r->is_open) r->runs[r->n_runs - 1].is_cut = r->finish == SERVE_LENGTH;
    close_run(r);
    if (r->request.streams) r->form->finish(r);
    else r->form->whole(r);
    return ASSAY_OK;
}

static assay_status check_open(const assay_response *r, assay_error *err)
{
    return r->is_over ? assay_fail(err, ASSAY_EINVAL, "the response is over") : ASSAY_OK;
}

assay_status serve_response_chunk(assay_response *r, const assay_response_chunk *given,
                                  const assay_byte_sink *sink, assay_error *err)
{
    assay_response_chunk chunk;
    const assay_sink pieces = {.take = receive_piece, .context = r};
    assay_status rc = assay_options_read(&chunk, sizeof chunk, given, "a chunk of a response", err);
    if (rc == ASSAY_OK) rc = check_open(r, err);
    if (rc != ASSAY_OK) return rc;
    if (chunk.prompt_tokens > 0) r->prompt_tokens = chunk.prompt_tokens;
    if (chunk.completion_tokens > 0) r->completion_tokens = chunk.completion_tokens;
    if (chunk.finished && chunk.finish_reason && strcmp(chunk.finish_reason, "error") == 0)
        return serve_response_fail(r, "the engine failed", sink, err);
    begin_response(r);
    if (chunk.new_text.n)
        rc = r->serving->reply_feed(r->reply, chunk.new_text.at, chunk.new_text.n, &pieces, err);
    if (rc == ASSAY_OK && chunk.finished) rc = finish_response(r, &chunk, err);
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
