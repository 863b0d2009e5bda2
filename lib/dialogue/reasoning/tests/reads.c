/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/tests/reads.h"

#include <string.h>

#include "base/tests/support.h"
#include "dialogue/tests/pieces.h"

const serve_reasoning_rules *reads_rules(const char *name)
{
    const serve_reasoning_rules *rules = NULL;
    assay_error err;
    ck_assert_msg(serve_reasoning_find(name, &rules, &err) == ASSAY_OK, "%s", err.text);
    return rules;
}

/* Reads text[0..n) in three pieces, and checks that every byte is in a piece or counted as dropped. */
void reads_cut(const char *parser, serve_reasoning_options options, const char *text, size_t a, size_t b,
               const char *script)
{
    const size_t n = strlen(text);
    serve_reasoning s;
    pieces p = {0};
    const assay_sink sink = pieces_sink(&p);
    serve_reasoning_start(&s, reads_rules(parser), &options);
    serve_reasoning_feed(&s, text, a, &sink);
    serve_reasoning_feed(&s, text + a, b - a, &sink);
    serve_reasoning_feed(&s, text + b, n - b, &sink);
    serve_reasoning_end(&s, &sink);
    ck_assert_msg(strcmp(pieces_script(&p), script) == 0,
                  "%s, cut at %zu and %zu: %s\nfound    %s\nexpected %s", parser, a, b, text,
                  pieces_script(&p), script);
    ck_assert_uint_eq(p.n_bytes + s.n_dropped, n);
    pieces_free(&p);
}

static void expect_bytes(const char *parser, serve_reasoning_options options, const char *text,
                         const char *script)
{
    serve_reasoning s;
    pieces p = {0};
    const assay_sink sink = pieces_sink(&p);
    serve_reasoning_start(&s, reads_rules(parser), &options);
    for (size_t i = 0; text[i]; i++) {
        char byte = text[i];
        serve_reasoning_feed(&s, &byte, 1, &sink);
        const size_t n = p.n_bytes + s.n_dropped + s.n_held + s.n_preface;
        if (n != i + 1) ck_abort_msg("%s: %s: %zu bytes of %zu", parser, text, n, i + 1);
    }
    serve_reasoning_end(&s, &sink);
    ck_assert_msg(strcmp(pieces_script(&p), script) == 0, "%s, by bytes: %s\nfound    %s\nexpected %s",
                  parser, text, pieces_script(&p), script);
    ck_assert_msg(!p.cut, "%s, by bytes: %s: a piece ends within a character", parser, text);
    pieces_free(&p);
}

void reads_with(const char *parser, serve_reasoning_options options, const char *text, const char *script)
{
    const size_t n = strlen(text);
    expect_bytes(parser, options, text, script);
    for (size_t a = 0; a <= n; a++)
        for (size_t b = a; b <= n; b++) reads_cut(parser, options, text, a, b, script);
}

void reads(const char *parser, const char *text, const char *script)
{
    reads_with(parser, (serve_reasoning_options){0}, text, script);
}

void reads_off(const char *parser, const char *text, const char *script)
{
    reads_with(parser, (serve_reasoning_options){.thinking_off = true}, text, script);
}
