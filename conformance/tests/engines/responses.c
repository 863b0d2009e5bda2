/* Chat completions of assay/serving.h, for a model whose text is content. The module exports no
 * engine. Each process breaks one rule, which MODULE_FAULT names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/serving.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/rule.h"

#define CHUNK(delta, finish)                                                                                 \
    "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{"  \
    "\"index\":0,\"delta\":{" delta "},\"finish_reason\":" finish "}]}\n\n"

struct assay_response {
    bool streams, begun, over;
    char text[256]; /* without a stream; plain ASCII that needs no escapes */
};

static void put(const assay_byte_sink *sink, const char *text)
{
    sink->take(sink->context, text, strlen(text));
}

static assay_status response_open(const assay_response_options *options, assay_response **out,
                                  assay_error *err)
{
    if (errs("memory")) return fail(err, ASSAY_ENOMEM, "no memory");
    if (strcmp(options->endpoint, "/v1/chat/completions") != 0)
        return fail(err, ASSAY_EUNSUPPORTED, "endpoint: expected /v1/chat/completions");
    *out = calloc(1, sizeof **out);
    (*out)->streams = memmem(options->request.at, options->request.n, "\"stream\":true", 13) != NULL;
    return ASSAY_OK;
}

static void put_delta(assay_response *r, const char *text, size_t n, const assay_byte_sink *sink)
{
    char chunk[512];
    if (!r->begun) put(sink, CHUNK("\"role\":\"assistant\"", "null"));
    r->begun = true;
    if (n == 0 || (n == 1 && errs("character")) || (n == 5 && errs("at-once"))) return;
    (void)snprintf(chunk, sizeof chunk, CHUNK("\"content\":\"%.*s\"", "null"), (int)n, text);
    put(sink, chunk);
}

static void put_whole(const assay_response *r, const assay_byte_sink *sink)
{
    char body[512];
    (void)snprintf(
        body, sizeof body,
        "{\"choices\":[{\"message\":{\"content\":\"%s%s\",\"tool_calls\":[]},\"finish_reason\":\"%s\"}]}",
        r->text, errs("whole") ? "!" : "", errs("two-minds") ? "length" : "stop");
    put(sink, errs("no-json") ? "<html>" : body);
}

static assay_status response_chunk(assay_response *r, const assay_response_chunk *chunk,
                                   const assay_byte_sink *sink, assay_error *err)
{
    if (errs("refuses")) return fail(err, ASSAY_EINTERNAL, "it cannot go on");
    if (errs("empty")) sink->take(sink->context, "", 0);
    if (r->streams) put_delta(r, chunk->new_text.at, chunk->new_text.n, sink);
    else strncat(r->text, chunk->new_text.at, chunk->new_text.n);
    if (!chunk->finished) return ASSAY_OK;
    if (r->streams && errs("adds")) put_delta(r, "!", 1, sink);
    if (r->streams) put(sink, CHUNK("", "\"stop\""));
    if (r->streams && errs("finishes-twice")) put(sink, CHUNK("", "\"stop\""));
    if (r->streams) put(sink, "data: [DONE]\n\n");
    else put_whole(r, sink);
    r->over = true;
    return ASSAY_OK;
}

static assay_status response_fail(assay_response *r, const char *text, const assay_byte_sink *sink,
                                  assay_error *err)
{
    (void)text, (void)err;
    r->over = true;
    if (errs("silent") && !r->begun) put(sink, CHUNK("\"role\":\"assistant\"", "null"));
    if (errs("silent")) put(sink, CHUNK("", "\"stop\"") "data: [DONE]\n\n");
    else
        put(sink,
            r->streams ? "data: {\"error\":{\"message\":\"m\"}}\n\n" : "{\"error\":{\"message\":\"m\"}}");
    return ASSAY_OK;
}

static assay_status response_end(assay_response *r, const assay_byte_sink *sink, assay_error *err)
{
    return r->over ? ASSAY_OK : response_fail(r, "", sink, err);
}

static void response_free(assay_response *r)
{
    free(r);
}

const assay_serving *assay_serving_v2(void);

const assay_serving *assay_serving_v2(void)
{
    static assay_serving table;
    table = (assay_serving){.abi = ASSAY_SERVING_ABI,
                            .size = sizeof table,
                            .name = "responses",
                            .version = "1",
                            .response_open = response_open,
                            .response_chunk = response_chunk,
                            .response_fail = response_fail,
                            .response_end = errs("lacks") ? NULL : response_end,
                            .response_free = response_free};
    return &table;
}
