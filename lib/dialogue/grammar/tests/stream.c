/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/tests/stream.h"

#include "base/file.h"
#include "base/tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stream_read(const char *name, stream *out)
{
    const char *top = getenv("top_srcdir");
    char path[512];
    assay_error err;
    *out = (stream){0};
    (void)snprintf(path, sizeof path, "%s/lib/dialogue/grammar/tests/streams/%s.sse", top ? top : ".", name);
    ck_assert_int_eq(file_read(path, 1 << 20, &out->text.data, &out->text.n, &err), ASSAY_OK);
    out->text.capacity = out->text.n;
    const char *at = out->text.data, *end = at + out->text.n;
    while (at < end) {
        const char *empty = memmem(at, (size_t)(end - at), "\n\n", 2);
        ck_assert_ptr_nonnull(empty);
        ck_assert_uint_lt(out->n, STREAM_EVENTS_MAX);
        out->events[out->n++] = (assay_text){at, (size_t)(empty + 2 - at)};
        at = empty + 2;
    }
}

size_t stream_offset(const char *bytes, size_t n, size_t number)
{
    const char *at = bytes;
    for (size_t i = 1; i < number && at; i++) {
        at = memmem(at, n - (size_t)(at - bytes), "\n\n", 2);
        if (at) at += 2;
    }
    return at ? (size_t)(at - bytes) : n;
}

serve_endpoint stream_endpoint(const char *name)
{
    char word[16];
    serve_endpoint endpoint;
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "_"), name);
    ck_assert(serve_endpoint_find(word, &endpoint));
    return endpoint;
}

assay_status stream_feed(const char *name, const char *bytes, size_t n, size_t piece, const char *marker,
                         serve_grammar **out)
{
    const serve_grammar_options options = {.endpoint = stream_endpoint(name),
                                           .usage = SERVE_ASKED_FOR,
                                           .markers = &marker,
                                           .n_markers = marker ? 1 : 0};
    assay_status rc = serve_grammar_open(&options, out);
    for (size_t at = 0; rc == ASSAY_OK && at < n; at += piece)
        rc = serve_grammar_feed(*out, bytes + at, n - at < piece ? n - at : piece);
    return rc == ASSAY_OK ? serve_grammar_end(*out) : rc;
}

const char *stream_rule(const char *name, const char *bytes, size_t n, size_t piece, const char *marker,
                        serve_breach *breach)
{
    serve_grammar *g = NULL;
    *breach = (serve_breach){.rule = "-", .excerpt = "of before"};
    ck_assert_int_eq(stream_feed(name, bytes, n, piece, marker, &g), ASSAY_OK);
    if (serve_grammar_breaches(g)->n) *breach = serve_grammar_breaches(g)->at[0];
    serve_grammar_free(g);
    return breach->rule;
}

size_t stream_edit_apply(const stream *s, const stream_edit *e, buffer *out)
{
    const bool all = strcmp(e->after, STREAM_EDIT_ALL) == 0;
    const char *text = s->text.data, *end = text + s->text.n;
    const char *after = all ? text : memmem(text, s->text.n, e->after, strlen(e->after));
    ck_assert_msg(after != NULL, "%s: no %s", e->name, e->after);
    const char *at = memmem(after, (size_t)(end - after), e->from, strlen(e->from));
    ck_assert_msg(at != NULL, "%s: no %s after %s", e->name, e->from, e->after);
    size_t event = 1;
    while (event < s->n && s->events[event].at <= at) event++;
    do {
        buffer_append(out, text, (size_t)(at - text));
        buffer_append(out, e->to, strlen(e->to));
        text = at + strlen(e->from);
        at = memmem(text, (size_t)(end - text), e->from, strlen(e->from));
    } while (all && at);
    buffer_append(out, text, (size_t)(end - text));
    return event;
}

/* Adds an event with a new sequence number if it has one, so that the test reaches the rules after the
 * numbers. */
static void add_event(buffer *out, assay_text event, size_t *number)
{
    static const char key[] = "\"sequence_number\":";
    const char *at = memmem(event.at, event.n, key, sizeof key - 1);
    if (!at) {
        buffer_append(out, event.at, event.n);
        return;
    }
    at += sizeof key - 1;
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", (*number)++);
    buffer_append(out, event.at, (size_t)(at - event.at));
    buffer_append_string(out, text);
    at += strspn(at, "0123456789");
    buffer_append(out, at, (size_t)(event.at + event.n - at));
}

void stream_change_apply(const stream *s, stream_change how, size_t i, buffer *out)
{
    size_t number = 1;
    out->n = 0;
    for (size_t k = 0; k < s->n; k++) {
        size_t from = how == STREAM_SWAP && k == i ? k + 1 : how == STREAM_SWAP && k == i + 1 ? i : k;
        if (how == STREAM_DROP && k == i) continue;
        add_event(out, s->events[from], &number);
        if (how == STREAM_REPEAT && k == i) add_event(out, s->events[k], &number);
    }
}
