/* Responses of /v1/messages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/body.h"

static void begin_event(assay_response *r, const char *type)
{
    serve_put(r, "event: ");
    serve_put(r, type);
    serve_put(r, "\ndata: {\"type\":\"");
    serve_put(r, type);
    serve_put(r, "\"");
}

static void end_event(assay_response *r)
{
    serve_put(r, "}\n\n");
}

static void put_usage(assay_response *r)
{
    serve_put(r, ",\"usage\":{\"input_tokens\":");
    serve_put_count(r, r->choice->prompt_tokens);
    serve_put(r, ",\"output_tokens\":");
    serve_put_count(r, r->choice->completion_tokens);
    serve_put(r, "}");
}

static void put_head(assay_response *r)
{
    serve_put(r, "{\"id\":");
    serve_put_id(r, "msg_");
    serve_put(r, ",\"type\":\"message\",\"role\":\"assistant\",\"model\":");
    serve_put_text(r, buffer_text(&r->request.model));
    serve_put(r, ",\"content\":[");
}

static void begin(assay_response *r)
{
    begin_event(r, "message_start");
    serve_put(r, ",\"message\":");
    put_head(r);
    serve_put(r, "],\"stop_reason\":null,\"stop_sequence\":null");
    put_usage(r);
    serve_put(r, "}");
    end_event(r);
}

static void begin_block_event(assay_response *r, const char *type, const serve_run *run)
{
    begin_event(r, type);
    serve_put(r, ",\"index\":");
    serve_put_count(r, (int64_t)run->index);
}

/* text, input: what the block holds. */
static void put_block(assay_response *r, const serve_run *run, assay_text text, const char *input)
{
    switch (run->part) {
    case ASSAY_PART_REASONING:
        serve_put(r, "{\"type\":\"thinking\",\"thinking\":");
        serve_put_text(r, text);
        serve_put(r, ",\"signature\":\"\"}");
        break;
    case ASSAY_PART_CALL:
        serve_put(r, "{\"type\":\"tool_use\",\"id\":");
        serve_put_id_of(r, "toolu_", run->call);
        serve_put(r, ",\"name\":");
        serve_put_text(r, buffer_text(&run->name));
        serve_put(r, ",\"input\":");
        serve_put(r, input);
        serve_put(r, "}");
        break;
    default:
        serve_put(r, "{\"type\":\"text\",\"text\":");
        serve_put_text(r, text);
        serve_put(r, "}");
    }
}

static void open_block(assay_response *r, const serve_run *run)
{
    begin_block_event(r, "content_block_start", run);
    serve_put(r, ",\"content_block\":");
    put_block(r, run, serve_text_of(""), "{}");
    end_event(r);
}

static void put_delta(assay_response *r, const serve_run *run, const char *head, assay_text text)
{
    begin_block_event(r, "content_block_delta", run);
    serve_put(r, head);
    serve_put_text(r, text);
    serve_put(r, "}");
    end_event(r);
}

static void delta(assay_response *r, serve_run *run, assay_text text)
{
    put_delta(r, run,
              run->part == ASSAY_PART_REASONING ? ",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":"
                                                : ",\"delta\":{\"type\":\"text_delta\",\"text\":",
              text);
}

/* A tool's input is an object: any other value becomes an empty one. */
static assay_text input_of(const serve_run *run)
{
    const char *at = run->text.data;
    size_t i = 0;
    while (i < run->text.n && (at[i] == ' ' || at[i] == '\t' || at[i] == '\n' || at[i] == '\r')) i++;
    return i < run->text.n && at[i] == '{' ? buffer_text(&run->text) : serve_text_of("{}");
}

static void close_block(assay_response *r, serve_run *run)
{
    if (run->part == ASSAY_PART_CALL) {
        open_block(r, run);
        put_delta(r, run, ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":", input_of(run));
    }
    begin_block_event(r, "content_block_stop", run);
    end_event(r);
}

static void put_stop(assay_response *r)
{
    static const char *const reasons[] = {"end_turn", "stop_sequence", "max_tokens", "refusal"};
    const bool sequence = r->choice->n_calls == 0 && r->choice->finish == SERVE_STOP_TEXT;
    serve_put(r, "\"stop_reason\":");
    serve_put_text(r, serve_text_of(r->choice->n_calls ? "tool_use" : reasons[r->choice->finish]));
    serve_put(r, ",\"stop_sequence\":");
    if (sequence) serve_put_text(r, buffer_text(&r->choice->stop_sequence));
    else serve_put(r, "null");
}

static void finish(assay_response *r)
{
    begin_event(r, "message_delta");
    serve_put(r, ",\"delta\":{");
    put_stop(r);
    serve_put(r, "}");
    put_usage(r);
    end_event(r);
    begin_event(r, "message_stop");
    end_event(r);
}

static void put_error(assay_response *r, const char *text)
{
    serve_put(r, ",\"error\":{\"type\":\"api_error\",\"message\":");
    serve_put_text(r, serve_text_of(text));
    serve_put(r, "}");
}

static void fail(assay_response *r, const char *text)
{
    begin_event(r, "error");
    put_error(r, text);
    end_event(r);
}

static void whole_fail(assay_response *r, const char *text)
{
    serve_put(r, "{\"type\":\"error\"");
    put_error(r, text);
    serve_put(r, "}");
}

static void whole(assay_response *r)
{
    put_head(r);
    for (size_t i = 0; i < r->choice->n_runs; i++) {
        const serve_run *run = &r->choice->runs[i];
        if (i) serve_put(r, ",");
        if (run->part != ASSAY_PART_CALL) {
            put_block(r, run, buffer_text(&run->text), "");
            continue;
        }
        put_block(r, run, serve_text_of(""), "");
        r->out.n--; /* the closing brace: the input goes before it */
        const assay_text input = input_of(run);
        buffer_append(&r->out, input.at, input.n);
        serve_put(r, "}");
    }
    serve_put(r, "],");
    put_stop(r);
    put_usage(r);
    serve_put(r, "}");
}

const serve_form serve_form_messages = {
    .begin = begin,
    .open = open_block,
    .delta = delta,
    .close = close_block,
    .finish = finish,
    .fail = fail,
    .whole = whole,
    .whole_fail = whole_fail,
};
