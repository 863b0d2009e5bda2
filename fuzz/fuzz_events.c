/* Input: a letter for the endpoint (c, l, m, r), and the stream of a server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/grammar.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Reads the stream in pieces of `piece` bytes, each a copy of exactly its size, so that the sanitizer
 * detects a read past its end. The caller frees the grammar. */
static serve_grammar *read_stream(serve_endpoint endpoint, const uint8_t *data, size_t size, size_t piece)
{
    static const char *const markers[] = {"<think>", "aa"};
    const serve_grammar_options options = {.endpoint = endpoint, .markers = markers, .n_markers = 2};
    serve_grammar *g = NULL;
    assay_status rc = serve_grammar_open(&options, &g);
    fuzz_require(rc == ASSAY_OK, "an allocation succeeds");
    for (size_t at = 0; rc == ASSAY_OK && at < size; at += piece) {
        const size_t n = size - at < piece ? size - at : piece;
        char *copy = malloc(n);
        fuzz_require(copy != NULL, "an allocation succeeds");
        memcpy(copy, data + at, n);
        rc = serve_grammar_feed(g, copy, n);
        free(copy);
    }
    if (rc == ASSAY_OK) rc = serve_grammar_end(g);
    fuzz_require(rc == ASSAY_OK, "a stream is read to its end");
    return g;
}

static void check_breach(const serve_breach *b, serve_endpoint endpoint, size_t size)
{
    fuzz_require(b->offset <= size && b->event > 0, "a broken rule has a place in the stream");
    fuzz_require(b->text[0] && !strchr(b->text, '\n'), "a broken rule has a message of one line");
    fuzz_require(serve_rule_find(endpoint, b->rule)->grade == b->grade, "a broken rule has its grade");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[] = {1, 7};
    serve_grammar_summary summary, other;
    if (size == 0) return 0;
    const serve_endpoint endpoint = data[0] == 'm'   ? SERVE_MESSAGES
                                    : data[0] == 'r' ? SERVE_RESPONSES
                                    : data[0] == 'l' ? SERVE_COMPLETIONS
                                                     : SERVE_CHAT;
    data++, size--;
    serve_grammar *g = read_stream(endpoint, data, size, size ? size : 1);
    const serve_breaches *whole = serve_grammar_breaches(g);
    serve_grammar_summarise(g, &summary);
    for (size_t i = 0; i < whole->n; i++) check_breach(&whole->at[i], endpoint, size);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        serve_grammar *cut = read_stream(endpoint, data, size, pieces[i]);
        const serve_breaches *found = serve_grammar_breaches(cut);
        serve_grammar_summarise(cut, &other);
        fuzz_require(found->n_all == whole->n_all && found->n == whole->n,
                     "the number of breaches does not depend on the cuts");
        for (size_t k = 0; k < found->n; k++)
            fuzz_require(found->at[k].rule == whole->at[k].rule && found->at[k].event == whole->at[k].event &&
                             found->at[k].offset == whole->at[k].offset,
                         "the place does not depend on the cuts");
        fuzz_require(other.content_bytes == summary.content_bytes && other.n_calls == summary.n_calls,
                     "the summary does not depend on the cuts");
        serve_grammar_free(cut);
    }
    serve_grammar_free(g);
    return 0;
}
