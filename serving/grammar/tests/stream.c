/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/grammar/tests/stream.h"

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
    (void)snprintf(path, sizeof path, "%s/serving/grammar/tests/streams/%s.sse", top ? top : ".", name);
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

const char *stream_rule(const char *name, const char *bytes, size_t n, size_t piece, const char *marker,
                        serve_breach *breach)
{
    const serve_grammar_options options = {.endpoint = stream_endpoint(name),
                                           .usage = SERVE_ASKED_FOR,
                                           .markers = &marker,
                                           .n_markers = marker ? 1 : 0};
    serve_grammar *g;
    *breach = (serve_breach){.rule = "-", .excerpt = "of before"};
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    assay_status rc = ASSAY_OK;
    for (size_t at = 0; rc == ASSAY_OK && at < n; at += piece)
        rc = serve_grammar_feed(g, bytes + at, n - at < piece ? n - at : piece, breach);
    if (rc == ASSAY_OK) rc = serve_grammar_end(g, breach);
    ck_assert_int_eq(rc, strcmp(breach->rule, "-") == 0 ? ASSAY_OK : ASSAY_EFORMAT);
    serve_grammar_free(g);
    return breach->rule;
}
