/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/tests/angles.h"

#include "base/error.h"
#include "base/tests/support.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assay_reply {
    bool tools, off;
    assay_part part;
    buffer name;
};

const char angles_stream[] =
    "{\"stream\": true, \"stream_options\": {\"include_usage\": true}, \"tools\": [{}]}";
const char angles_whole[] = "{\"tools\": [{}]}";
char angles_request[256];

static assay_status reply_open(const assay_reply_options *options, assay_reply **out, assay_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return assay_fail(err, ASSAY_ENOMEM, "a reply: out of memory");
    (*out)->tools = options->tools != NULL;
    (*out)->off = options->thinking_off;
    (*out)->part = ASSAY_PART_CONTENT;
    (void)snprintf(angles_request, sizeof angles_request, "%.*s", (int)options->request.n,
                   options->request.at ? options->request.at : "");
    return ASSAY_OK;
}

/* The part that a marker begins; false if c is no marker. */
static bool turn(assay_reply *r, char c, const assay_sink *sink)
{
    if (c == '<') r->part = ASSAY_PART_REASONING;
    else if (c == '>' || (c == ']' && r->tools)) r->part = ASSAY_PART_CONTENT;
    else if (c == '[' && r->tools) r->part = ASSAY_PART_CALL;
    else if (c == '|' && r->part == ASSAY_PART_CALL) {
        sink->take(sink->context, ASSAY_PART_CALL, r->name.data, r->name.n);
        r->part = ASSAY_PART_ARGUMENTS;
        r->name.n = 0;
    } else return false;
    return true;
}

static assay_status reply_feed(assay_reply *r, const char *delta, size_t n, const assay_sink *sink,
                               assay_error *err)
{
    for (size_t at = 0; at < n;) {
        size_t end = at;
        if (delta[at] == *ANGLES_BROKEN) return assay_fail(err, ASSAY_EINTERNAL, "it cannot go on");
        if (turn(r, delta[at], sink)) {
            at++;
            continue;
        }
        while (end < n && !memchr("<>[]|" ANGLES_BROKEN, delta[end], 6)) end++;
        if (end == at) end++;
        if (r->part == ASSAY_PART_CALL) buffer_append(&r->name, delta + at, end - at);
        else if (r->part != ASSAY_PART_REASONING || !r->off)
            sink->take(sink->context, r->part, delta + at, end - at);
        at = end;
        if (r->name.failed) return assay_fail(err, ASSAY_ENOMEM, "a reply: out of memory");
    }
    return ASSAY_OK;
}

static assay_status reply_end(assay_reply *r, const assay_sink *sink, assay_error *err)
{
    (void)r, (void)sink, (void)err;
    return ASSAY_OK;
}

static void reply_free(assay_reply *r)
{
    buffer_free(&r->name);
    free(r);
}

static const assay_serving SERVING = {
    .reply_open = reply_open, .reply_feed = reply_feed, .reply_end = reply_end, .reply_free = reply_free};

const char *const angles_paths[3] = {"/v1/chat/completions", "/v1/messages", "/v1/responses"};
assay_status angles_open(const char *path, const char *request, const char *server, assay_response **out,
                         assay_error *err)
{
    const assay_response_options options = {.size = sizeof options,
                                            .endpoint = path,
                                            .request = {request, strlen(request)},
                                            .server = {server, strlen(server)},
                                            .id = "7",
                                            .created = 5};
    return serve_response_open(&SERVING, &options, out, err);
}

void angles_collect(void *context, const char *bytes, size_t n)
{
    assert(n > 0);
    buffer_append(context, bytes, n);
}

assay_status angles_say(assay_response *r, const char *text, size_t n, const char *finish, buffer *body)
{
    const assay_byte_sink sink = {.take = angles_collect, .context = body};
    const assay_response_chunk chunk = {.size = sizeof chunk,
                                        .finished = finish != NULL,
                                        .new_text = {text, n},
                                        .prompt_tokens = 3,
                                        .completion_tokens = 2,
                                        .finish_reason = finish};
    return serve_response_chunk(r, &chunk, &sink, NULL);
}

size_t angles_cut(const char *text, size_t n)
{
    n = n < strlen(text) ? n : strlen(text);
    while (((unsigned char)text[n] & 0xc0U) == 0x80U) n++;
    return n;
}

char *angles_answer(const char *path, const char *request, const char *text, const char *finish, size_t piece)
{
    buffer body = {0};
    assay_response *r;
    ck_assert_int_eq(angles_open(path, request, ANGLES_SERVER, &r, NULL), ASSAY_OK);
    for (size_t n; (n = angles_cut(text, piece)) > 0; text += n)
        ck_assert_int_eq(angles_say(r, text, n, NULL, &body), ASSAY_OK);
    ck_assert_int_eq(angles_say(r, "", 0, finish, &body), ASSAY_OK);
    serve_response_free(r);
    buffer_append(&body, "", 1);
    return body.data;
}
