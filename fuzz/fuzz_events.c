/* Input: a letter for the endpoint (c, m, r), and the stream of a server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz.h"
#include "serving/grammar/grammar.h"

#include <stdlib.h>
#include <string.h>

/* Reads the stream in pieces of `piece` bytes, each a copy of exactly its size, so that the sanitizer
 * detects a read past its end. */
static assay_status read_stream(serve_endpoint endpoint, const uint8_t *data, size_t size, size_t piece,
                                serve_breach *breach, serve_grammar_summary *summary)
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
        rc = serve_grammar_feed(g, copy, n, breach);
        free(copy);
    }
    if (rc == ASSAY_OK) rc = serve_grammar_end(g, breach);
    serve_grammar_summarise(g, summary);
    serve_grammar_free(g);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[] = {1, 7};
    serve_breach whole = {0};
    serve_grammar_summary summary, other;
    if (size == 0) return 0;
    const serve_endpoint endpoint = data[0] == 'm'   ? SERVE_MESSAGES
                                    : data[0] == 'r' ? SERVE_RESPONSES
                                                     : SERVE_CHAT;
    data++, size--;
    const assay_status rc = read_stream(endpoint, data, size, size ? size : 1, &whole, &summary);
    fuzz_require(rc == ASSAY_OK || rc == ASSAY_EFORMAT, "a stream is sound, or breaks a rule");
    fuzz_require((rc == ASSAY_OK) == !whole.rule, "a broken rule has a name");
    fuzz_require(!whole.rule || (whole.offset <= size && whole.event > 0),
                 "a broken rule has a place in the stream");
    fuzz_require(!whole.rule || (whole.text[0] && !strchr(whole.text, '\n')),
                 "a broken rule has a message of one line");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        serve_breach breach = {0};
        fuzz_require(read_stream(endpoint, data, size, pieces[i], &breach, &other) == rc,
                     "whether it is sound does not depend on the cuts");
        fuzz_require(breach.rule == whole.rule && breach.event == whole.event &&
                         breach.offset == whole.offset,
                     "the place does not depend on the cuts");
        fuzz_require(other.content_bytes == summary.content_bytes && other.n_calls == summary.n_calls,
                     "the summary does not depend on the cuts");
    }
    return 0;
}
