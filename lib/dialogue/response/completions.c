/* Responses of /v1/completions (OpenAI API reference, "Completions (legacy)"; prompt_logprobs, token_ids and
 * prompt_token_ids as in vLLM).
 *
 * The text of a choice is that of the model, unparsed; with echo the prompt comes before it. Offsets count
 * characters of that text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/body.h"

static void put_head(assay_response *r)
{
    serve_put(r, "{\"id\":");
    serve_put_id(r, "cmpl-");
    serve_put(r, ",\"object\":\"text_completion\",\"created\":");
    serve_put_count(r, r->created);
    serve_put(r, ",\"model\":");
    serve_put_text(r, buffer_text(&r->request.model));
    serve_put(r, ",\"choices\":[");
}

static void put_logprobs(assay_response *r)
{
    serve_reports *reports = &r->choice->reports;
    if (!r->request.logprobs) {
        serve_put(r, ",\"logprobs\":null");
        return;
    }
    serve_put_list(r, ",\"logprobs\":{\"tokens\":", &reports->tokens);
    serve_put_list(r, ",\"token_logprobs\":", &reports->values);
    serve_put_list(r, ",\"top_logprobs\":", &reports->maps);
    serve_put_list(r, ",\"text_offset\":", &reports->offsets);
    serve_put(r, "}");
}

/* A choice, or what is new of it; the reports of its prompt come once, with the first text. reason: NULL: it
 * goes on. */
static void put_choice(assay_response *r, assay_text text, const char *reason)
{
    serve_reports *reports = &r->choice->reports;
    serve_put(r, "{\"index\":");
    serve_put_count(r, (int64_t)r->choice->index);
    serve_put(r, ",\"text\":");
    serve_put_text(r, text);
    put_logprobs(r);
    serve_put(r, ",\"finish_reason\":");
    if (reason) serve_put_text(r, serve_text_of(reason));
    else serve_put(r, "null");
    if (r->request.prompt_logprobs && reports->prompt.n)
        serve_put_list(r, ",\"prompt_logprobs\":", &reports->prompt);
    if (r->request.token_ids && reports->prompt_ids.n)
        serve_put_list(r, ",\"prompt_token_ids\":", &reports->prompt_ids);
    if (r->request.token_ids) serve_put_list(r, ",\"token_ids\":", &reports->ids);
    serve_put(r, "}");
}

static const char *finish_reason(const assay_response *r)
{
    static const char *const reasons[] = {"stop", "stop", "length", "content_filter"};
    return reasons[r->choice->finish];
}

static void put_chunk(assay_response *r, assay_text text, const char *reason)
{
    serve_put(r, "data: ");
    put_head(r);
    put_choice(r, text, reason);
    serve_put(r, "]}\n\n");
}

static void begin(assay_response *r)
{
    (void)r;
}

static void open_text(assay_response *r, const serve_run *run)
{
    (void)r, (void)run;
}

static void delta(assay_response *r, serve_run *run, assay_text text)
{
    (void)run;
    put_chunk(r, text, NULL);
}

static void close_text(assay_response *r, serve_run *run)
{
    (void)r, (void)run;
}

static void finish(assay_response *r)
{
    put_chunk(r, serve_text_of(""), finish_reason(r));
}

static void end(assay_response *r)
{
    if (r->request.usage) {
        serve_put(r, "data: ");
        put_head(r);
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

static void whole(assay_response *r)
{
    put_head(r);
    for (size_t i = 0; i < r->request.n_choices; i++) {
        r->choice = &r->choices[i];
        if (i) serve_put(r, ",");
        put_choice(r, r->choice->n_runs ? buffer_text(&r->choice->runs[0].text) : serve_text_of(""),
                   finish_reason(r));
    }
    serve_put(r, "],");
    serve_put_usage(r);
    serve_put(r, "}");
}

const serve_form serve_form_completions = {
    .raw = true,
    .begin = begin,
    .open = open_text,
    .delta = delta,
    .close = close_text,
    .finish = finish,
    .end = end,
    .fail = fail,
    .whole = whole,
    .whole_fail = serve_put_error,
};
