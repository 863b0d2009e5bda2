/* Responses of /v1/responses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/body.h"

#include <string.h>

/* The name of a run's item. */
static const struct names {
    const char *item, *id, *part, *delta, *done;
} names[] = {
    [ASSAY_PART_CONTENT] = {"message", "msg_", "output_text", "response.output_text.delta",
                            "response.output_text.done"},
    [ASSAY_PART_REASONING] = {"reasoning", "rs_", "reasoning_text", "response.reasoning_text.delta",
                              "response.reasoning_text.done"},
    [ASSAY_PART_CALL] = {"function_call", "fc_", NULL, "response.function_call_arguments.delta",
                         "response.function_call_arguments.done"},
};

static void begin_event(assay_response *r, const char *type)
{
    serve_put(r, "event: ");
    serve_put(r, type);
    serve_put(r, "\ndata: {\"type\":\"");
    serve_put(r, type);
    serve_put(r, "\",\"sequence_number\":");
    serve_put_count(r, (int64_t)++r->sequence);
}

static void end_event(assay_response *r)
{
    serve_put(r, "}\n\n");
}

static void begin_item_event(assay_response *r, const char *type, const serve_run *run)
{
    begin_event(r, type);
    serve_put(r, ",\"output_index\":");
    serve_put_count(r, (int64_t)run->index);
}

/* Writes an event of a part, or of a call's arguments. */
static void begin_part_event(assay_response *r, const char *type, const serve_run *run)
{
    begin_item_event(r, type, run);
    serve_put(r, ",\"item_id\":");
    serve_put_id_of(r, names[run->part].id, run->index);
    if (run->part != ASSAY_PART_CALL) serve_put(r, ",\"content_index\":0");
}

/* The logprobs of a run from `from` on, a number of bytes: all of them with 0. Events of output_text have the
 * list in any case. */
static void put_logprobs(assay_response *r, const serve_run *run, size_t from)
{
    const size_t begin = from > 0 && from < run->logprobs.n ? from + 1 : from; /* after the comma */
    if (run->part != ASSAY_PART_CONTENT) return;
    serve_put(r, ",\"logprobs\":[");
    buffer_append(&r->out, buffer_text(&run->logprobs).at + begin, run->logprobs.n - begin);
    serve_put(r, "]");
}

static void put_part(assay_response *r, const serve_run *run, assay_text text)
{
    serve_put(r, "{\"type\":\"");
    serve_put(r, names[run->part].part);
    serve_put(r, "\",\"text\":");
    serve_put_text(r, text);
    if (run->part == ASSAY_PART_CONTENT) serve_put(r, ",\"annotations\":[]");
    put_logprobs(r, run, text.n > 0 ? 0 : run->logprobs.n);
    serve_put(r, "}");
}

static void put_item(assay_response *r, const serve_run *run, bool is_new)
{
    serve_put(r, "{\"id\":");
    serve_put_id_of(r, names[run->part].id, run->index);
    serve_put(r, ",\"type\":\"");
    serve_put(r, names[run->part].item);
    serve_put(r, "\",\"status\":\"");
    serve_put(r, is_new ? "in_progress" : run->is_cut ? "incomplete" : "completed");
    serve_put(r, "\"");
    if (run->part == ASSAY_PART_CALL) {
        serve_put(r, ",\"call_id\":");
        serve_put_id_of(r, "call_", run->call);
        serve_put(r, ",\"name\":");
        serve_put_text(r, buffer_text(&run->name));
        serve_put(r, ",\"arguments\":");
        serve_put_text(r, is_new ? serve_text_of("") : buffer_text(&run->text));
    } else {
        serve_put(r, run->part == ASSAY_PART_CONTENT ? ",\"role\":\"assistant\",\"content\":["
                                                     : ",\"summary\":[],\"content\":[");
        if (!is_new) put_part(r, run, buffer_text(&run->text));
        serve_put(r, "]");
    }
    serve_put(r, "}");
}

static void put_usage(assay_response *r)
{
    serve_put(r, "{\"input_tokens\":");
    serve_put_count(r, r->choice->prompt_tokens);
    serve_put(r, ",\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":");
    serve_put_count(r, r->choice->completion_tokens);
    serve_put(r, ",\"output_tokens_details\":{\"reasoning_tokens\":");
    serve_put_count(r, r->choice->reasoning_tokens);
    serve_put(r, "},\"total_tokens\":");
    serve_put_count(r, r->choice->prompt_tokens + r->choice->completion_tokens);
    serve_put(r, "}");
}

/* error: NULL if nothing failed. */
static void put_response(assay_response *r, const char *status, const char *error)
{
    const bool is_over = strcmp(status, "in_progress") != 0;
    serve_put(r, "{\"id\":");
    serve_put_id(r, "resp_");
    serve_put(r, ",\"object\":\"response\",\"created_at\":");
    serve_put_count(r, r->created);
    serve_put(r, ",\"status\":\"");
    serve_put(r, status);
    serve_put(r, "\",\"error\":");
    if (error) {
        serve_put(r, "{\"code\":\"server_error\",\"message\":");
        serve_put_text(r, serve_text_of(error));
        serve_put(r, "}");
    } else serve_put(r, "null");
    serve_put(r, ",\"incomplete_details\":");
    if (strcmp(status, "incomplete") != 0) serve_put(r, "null");
    else if (r->choice->finish == SERVE_LENGTH) serve_put(r, "{\"reason\":\"max_output_tokens\"}");
    else serve_put(r, "{\"reason\":\"content_filter\"}");
    serve_put(r, ",\"instructions\":null,\"metadata\":{},\"model\":");
    serve_put_text(r, buffer_text(&r->request.model));
    serve_put(r, ",\"output\":[");
    for (size_t i = 0; is_over && i < r->choice->n_runs - (r->choice->is_open ? 1 : 0); i++) {
        if (i) serve_put(r, ",");
        put_item(r, &r->choice->runs[i], false);
    }
    serve_put(r, "],\"parallel_tool_calls\":");
    serve_put(r, r->request.one_call ? "false" : "true");
    serve_put(r, ",\"temperature\":null,\"tool_choice\":");
    serve_put(r, r->request.declines_tools ? "\"none\"" : "\"auto\"");
    serve_put(r, ",\"tools\":[],\"top_p\":null,\"usage\":");
    if (is_over && !error) put_usage(r);
    else serve_put(r, "null");
    serve_put(r, "}");
}

static void put_response_event(assay_response *r, const char *type, const char *status, const char *error)
{
    begin_event(r, type);
    serve_put(r, ",\"response\":");
    put_response(r, status, error);
    end_event(r);
}

static void begin(assay_response *r)
{
    put_response_event(r, "response.created", "in_progress", NULL);
    put_response_event(r, "response.in_progress", "in_progress", NULL);
}

static void open_item(assay_response *r, const serve_run *run)
{
    begin_item_event(r, "response.output_item.added", run);
    serve_put(r, ",\"item\":");
    put_item(r, run, true);
    end_event(r);
    if (run->part == ASSAY_PART_CALL) return;
    begin_part_event(r, "response.content_part.added", run);
    serve_put(r, ",\"part\":");
    put_part(r, run, serve_text_of(""));
    end_event(r);
}

static void delta(assay_response *r, serve_run *run, assay_text text)
{
    begin_part_event(r, names[run->part].delta, run);
    serve_put(r, ",\"delta\":");
    serve_put_text(r, text);
    put_logprobs(r, run, run->n_logprobs_sent);
    run->n_logprobs_sent = run->logprobs.n;
    end_event(r);
}

static void close_item(assay_response *r, serve_run *run)
{
    const bool call = run->part == ASSAY_PART_CALL;
    const assay_text text = buffer_text(&run->text);
    if (call) {
        open_item(r, run);
        delta(r, run, text);
    }
    begin_part_event(r, names[run->part].done, run);
    serve_put(r, call ? ",\"arguments\":" : ",\"text\":");
    serve_put_text(r, text);
    put_logprobs(r, run, 0);
    end_event(r);
    if (!call) {
        begin_part_event(r, "response.content_part.done", run);
        serve_put(r, ",\"part\":");
        put_part(r, run, text);
        end_event(r);
    }
    begin_item_event(r, "response.output_item.done", run);
    serve_put(r, ",\"item\":");
    put_item(r, run, false);
    end_event(r);
}

static bool is_whole(const assay_response *r)
{
    return r->choice->finish != SERVE_LENGTH && r->choice->finish != SERVE_FILTERED;
}

static void finish(assay_response *r)
{
    if (is_whole(r)) put_response_event(r, "response.completed", "completed", NULL);
    else put_response_event(r, "response.incomplete", "incomplete", NULL);
}

static void fail(assay_response *r, const char *text)
{
    if (!r->choice->has_begun) begin(r);
    put_response_event(r, "response.failed", "failed", text);
}

static void whole(assay_response *r)
{
    put_response(r, is_whole(r) ? "completed" : "incomplete", NULL);
}

const serve_form serve_form_responses = {
    .begin = begin,
    .open = open_item,
    .delta = delta,
    .close = close_item,
    .finish = finish,
    .fail = fail,
    .whole = whole,
    .whole_fail = serve_put_error,
};
