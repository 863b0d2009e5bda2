/* Responses of /v1/chat/completions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/body.h"

#include "base/json_escape.h"

static const char *finish_reason(const assay_response *r)
{
    static const char *const reasons[] = {"stop", "stop", "length", "content_filter"};
    return r->choice->n_calls ? "tool_calls" : reasons[r->choice->finish];
}

static void put_head(assay_response *r, const char *object)
{
    serve_put(r, "{\"id\":");
    serve_put_id(r, "chatcmpl-");
    serve_put(r, ",\"object\":\"");
    serve_put(r, object);
    serve_put(r, "\",\"created\":");
    serve_put_count(r, r->created);
    serve_put(r, ",\"model\":");
    serve_put_text(r, buffer_text(&r->request.model));
    serve_put(r, ",\"choices\":[");
}

static void begin_chunk(assay_response *r)
{
    serve_put(r, "data: ");
    put_head(r, "chat.completion.chunk");
    serve_put(r, "{\"index\":");
    serve_put_count(r, (int64_t)r->choice->index);
    serve_put(r, ",\"delta\":{");
}

/* Logprobs and ids of the tokens since the preceding chunk. */
static void put_reports(assay_response *r)
{
    serve_reports *reports = &r->choice->reports;
    if (r->request.logprobs) {
        serve_put_list(r, ",\"logprobs\":{\"content\":", &reports->objects);
        serve_put(r, ",\"refusal\":null}");
    }
    if (r->request.token_ids) serve_put_list(r, ",\"token_ids\":", &reports->ids);
}

/* Of the prompt, which all choices have in common. */
static void put_prompt_reports(assay_response *r)
{
    serve_reports *reports = &r->choices[0].reports;
    if (r->request.prompt_logprobs) serve_put_list(r, ",\"prompt_logprobs\":", &reports->prompt);
    if (r->request.token_ids) serve_put_list(r, ",\"prompt_token_ids\":", &reports->prompt_ids);
}

/* reason: NULL except in the last chunk. */
static void end_chunk(assay_response *r, const char *reason)
{
    serve_put(r, "}");
    put_reports(r);
    serve_put(r, ",\"finish_reason\":");
    if (reason) serve_put_text(r, serve_text_of(reason));
    else serve_put(r, "null");
    serve_put(r, "}]}\n\n");
}

/* The first chunk of a choice, before any token; that of choice 0 reports the prompt. */
static void begin(assay_response *r)
{
    begin_chunk(r);
    serve_put(r, "\"role\":\"assistant\"},\"finish_reason\":null}]");
    if (r->choice->index == 0) put_prompt_reports(r);
    serve_put(r, "}\n\n");
}

static void open_field(assay_response *r, const serve_run *run)
{
    (void)r, (void)run;
}

static void delta(assay_response *r, serve_run *run, assay_text text)
{
    begin_chunk(r);
    serve_put(r, run->part == ASSAY_PART_REASONING ? "\"reasoning_content\":" : "\"content\":");
    serve_put_text(r, text);
    end_chunk(r, NULL);
}

static void put_call(assay_response *r, const serve_run *run, bool with_index)
{
    serve_put(r, "{");
    if (with_index) {
        serve_put(r, "\"index\":");
        serve_put_count(r, (int64_t)run->call);
        serve_put(r, ",");
    }
    serve_put(r, "\"id\":");
    serve_put_id_of(r, "call_", run->call);
    serve_put(r, ",\"type\":\"function\",\"function\":{\"name\":");
    serve_put_text(r, buffer_text(&run->name));
    serve_put(r, ",\"arguments\":");
    serve_put_text(r, buffer_text(&run->text));
    serve_put(r, "}}");
}

static void close_run(assay_response *r, serve_run *run)
{
    if (run->part != ASSAY_PART_CALL) return;
    begin_chunk(r);
    serve_put(r, "\"tool_calls\":[");
    put_call(r, run, true);
    serve_put(r, "]");
    end_chunk(r, NULL);
}

static void finish(assay_response *r)
{
    begin_chunk(r);
    end_chunk(r, finish_reason(r));
}

static void end(assay_response *r)
{
    if (r->request.usage) {
        serve_put(r, "data: ");
        put_head(r, "chat.completion.chunk");
        serve_put(r, "],");
        serve_put_usage(r);
        serve_put(r, "}\n\n");
    }
    serve_put(r, "data: [DONE]\n\n");
}

static void fail(assay_response *r, const char *text)
{
    serve_put(r, "data: ");
    serve_put_error(r, text);
    serve_put(r, "\n\ndata: [DONE]\n\n");
}

/* Writes all runs of one part as a member; false if there are none. */
static bool put_field(assay_response *r, const char *name, assay_part part)
{
    bool any = false;
    for (size_t i = 0; i < r->choice->n_runs; i++) {
        if (r->choice->runs[i].part != part) continue;
        if (!any) serve_put(r, name);
        any = true;
        json_append_escaped(&r->out, buffer_text(&r->choice->runs[i].text));
    }
    if (any) serve_put(r, "\"");
    return any;
}

static void put_choice(assay_response *r)
{
    serve_put(r, "{\"index\":");
    serve_put_count(r, (int64_t)r->choice->index);
    serve_put(r, ",\"message\":{\"role\":\"assistant\"");
    if (!put_field(r, ",\"content\":\"", ASSAY_PART_CONTENT)) serve_put(r, ",\"content\":null");
    (void)put_field(r, ",\"reasoning_content\":\"", ASSAY_PART_REASONING);
    for (size_t i = 0, n = 0; i < r->choice->n_runs; i++) {
        if (r->choice->runs[i].part != ASSAY_PART_CALL) continue;
        serve_put(r, n++ ? "," : ",\"tool_calls\":[");
        put_call(r, &r->choice->runs[i], false);
    }
    serve_put(r, r->choice->n_calls ? "]}" : "}");
    put_reports(r);
    serve_put(r, ",\"finish_reason\":");
    serve_put_text(r, serve_text_of(finish_reason(r)));
    serve_put(r, "}");
}

static void whole(assay_response *r)
{
    put_head(r, "chat.completion");
    for (size_t i = 0; i < r->request.n_choices; i++) {
        if (i) serve_put(r, ",");
        r->choice = &r->choices[i];
        put_choice(r);
    }
    serve_put(r, "]");
    put_prompt_reports(r);
    serve_put(r, ",");
    serve_put_usage(r);
    serve_put(r, "}");
}

const serve_form serve_form_chat = {
    .fields = true,
    .begin = begin,
    .open = open_field,
    .delta = delta,
    .close = close_run,
    .finish = finish,
    .end = end,
    .fail = fail,
    .whole = whole,
    .whole_fail = serve_put_error,
};
