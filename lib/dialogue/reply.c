/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reply.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/error.h"
#include "dialogue/reasoning/reasoning.h"
#include "dialogue/tools/tools.h"

struct assay_reply {
    serve_reasoning reasoning;
    serve_tools *tools; /* NULL: calls are not parsed */

    /* Set during a call. */
    const assay_sink *sink;
    assay_error *err;
    assay_status status;
};

/* Without a reasoning parser all text is content. */
static const serve_phase all_content = {.text = SERVE_CONTENT};
static const serve_reasoning_rules no_rules = {.name = "none", .phases = &all_content};

assay_status serve_reply_open(const assay_reply_options *options, assay_reply **out, assay_error *err)
{
    const serve_reasoning_rules *rules = &no_rules;
    assay_reply_options o;
    assay_status rc = assay_options_read(&o, sizeof o, options, "options of a reply", err);
    if (rc == ASSAY_OK && o.reasoning) rc = serve_reasoning_find(o.reasoning, &rules, err);
    if (rc != ASSAY_OK) return rc;
    assay_reply *r = calloc(1, sizeof *r);
    if (!r) return assay_fail(err, ASSAY_ENOMEM, "a reply: out of memory");
    if (o.tools) rc = serve_tools_open(o.tools, o.request, &r->tools, err);
    if (rc != ASSAY_OK) {
        free(r);
        return rc;
    }
    serve_reasoning_start(
        &r->reasoning, rules,
        &(serve_reasoning_options){.thinking_off = o.thinking_off != 0,
                                   .tools = r->tools && serve_tools_reads_messages(r->tools)});
    *out = r;
    return ASSAY_OK;
}

void serve_reply_free(assay_reply *reply)
{
    if (!reply) return;
    serve_tools_free(reply->tools);
    free(reply);
}

/* Receives a piece from the reasoning parser. */
static void route_piece(void *context, assay_part part, const char *text, size_t n)
{
    assay_reply *r = context;
    if (part != ASSAY_PART_CONTENT || !r->tools) r->sink->take(r->sink->context, part, text, n);
    else if (r->status == ASSAY_OK) r->status = serve_tools_feed(r->tools, text, n, r->sink, r->err);
}

/* The sink for the reasoning parser while `sink` receives the output. */
static assay_sink make_router(assay_reply *r, const assay_sink *sink, assay_error *err)
{
    r->sink = sink;
    r->err = err;
    r->status = ASSAY_OK;
    return (assay_sink){.take = route_piece, .context = r};
}

assay_status serve_reply_feed(assay_reply *reply, const char *delta, size_t n, const assay_sink *sink,
                              assay_error *err)
{
    if (reply->tools && reply->reasoning.rules == &no_rules) /* all is content */
        return serve_tools_feed(reply->tools, delta, n, sink, err);
    const assay_sink inner = make_router(reply, sink, err);
    serve_reasoning_feed(&reply->reasoning, delta, n, &inner);
    return reply->status;
}

assay_status serve_reply_end(assay_reply *reply, const assay_sink *sink, assay_error *err)
{
    const assay_sink inner = make_router(reply, sink, err);
    serve_reasoning_end(&reply->reasoning, &inner);
    if (!reply->tools || reply->status != ASSAY_OK) return reply->status;
    return serve_tools_end(reply->tools, sink, err);
}
