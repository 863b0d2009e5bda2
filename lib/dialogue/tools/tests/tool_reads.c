/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/tests/tool_reads.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/tests/pieces.h"

typedef struct reading {
    serve_tools *t;
    pieces p;
    assay_sink sink;
} reading;

/* libcheck writes to a file for each assertion, and there are millions here. */
static void require_ok(assay_status rc)
{
    if (rc != ASSAY_OK) ck_abort_msg("status %d", (int)rc);
}

static void begin(reading *r, const char *parser, const char *request)
{
    assay_error err;
    const assay_text text = {.at = request, .n = request ? strlen(request) : 0};
    *r = (reading){0};
    r->sink = pieces_sink(&r->p);
    if (serve_tools_open(parser, text, &r->t, &err) != ASSAY_OK) ck_abort_msg("%s", err.text);
}

/* A copy, so that a sanitizer detects reads beyond its end. */
static void feed(reading *r, const char *text, size_t n)
{
    char *copy = malloc(n > 0 ? n : 1);
    if (!copy) ck_abort_msg("out of memory");
    memcpy(copy, text, n);
    require_ok(serve_tools_feed(r->t, copy, n, &r->sink, NULL));
    free(copy);
}

static void expect(reading *r, const char *text, const char *script, const char *how, size_t a, size_t b)
{
    require_ok(serve_tools_end(r->t, &r->sink, NULL));
    const char *found = r->p.n_pieces > 0 ? pieces_script(&r->p) : "";
    if (strcmp(found, script) != 0)
        ck_abort_msg("%s %zu, %zu: %s\nfound    %s\nexpected %s", how, a, b, text, found, script);
    if (r->p.cut) ck_abort_msg("%s %zu, %zu: %s: a piece ends within a character", how, a, b, text);
    serve_tools_free(r->t);
    pieces_free(&r->p);
}

void tool_reads_with(const char *parser, const char *request, const char *text, const char *script)
{
    const size_t n = strlen(text);
    reading r;
    begin(&r, parser, request);
    for (size_t i = 0; i < n; i++) feed(&r, text + i, 1);
    expect(&r, text, script, "by bytes", 0, n);
    for (size_t a = 0; a <= n; a++)
        for (size_t b = a; b <= n; b++) {
            begin(&r, parser, request);
            feed(&r, text, a);
            feed(&r, text + a, b - a);
            feed(&r, text + b, n - b);
            expect(&r, text, script, "cut at", a, b);
        }
}

void tool_reads(const char *parser, const char *text, const char *script)
{
    tool_reads_with(parser, NULL, text, script);
}
