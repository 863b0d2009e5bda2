/* Input: the parser and its options, how the reply is cut, and its bytes, some of which represent the
 * parser's markers, whole or without their last byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"
#include "dialogue/reasoning/reasoning.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { N_PARSERS = 10, FIRST_MARKER = 0x0e, N_NEARLY = 9 };

typedef struct reading {
    serve_reasoning s;
    buffer fields[2];
    assay_sink sink;
} reading;

static void check_piece(void *context, assay_part part, const char *text, size_t n)
{
    reading *r = context;
    fuzz_require(n > 0, "a piece has text");
    fuzz_require(part == ASSAY_PART_CONTENT || part == ASSAY_PART_REASONING, "a piece has a part");
    buffer_append(&r->fields[part], text, n);
}

/* Expands the input to a reply. */
static buffer expand_input(const serve_reasoning_rules *rules, const uint8_t *data, size_t size)
{
    buffer text = {0};
    for (size_t i = 0; i < size; i++) {
        const bool whole = data[i] >= FIRST_MARKER && data[i] < FIRST_MARKER + SERVE_MARKS;
        const size_t index = whole ? data[i] - (size_t)FIRST_MARKER : data[i];
        const serve_marker *mark = whole || index < N_NEARLY ? &rules->marks[index] : NULL;
        if (mark && mark->at) buffer_append(&text, mark->at, whole ? mark->n : mark->n - 1U);
        else buffer_append(&text, (const char *)&data[i], 1);
    }
    fuzz_require(!text.failed, "an allocation succeeds");
    return text;
}

/* Reads the reply in pieces of at most `most` bytes; 0: in one. */
static void read_reply(reading *r, const serve_reasoning_rules *rules, const serve_reasoning_options *options,
                       const buffer *text, size_t most)
{
    unsigned state = (unsigned)most;
    *r = (reading){.sink = {.take = check_piece, .context = r}};
    serve_reasoning_start(&r->s, rules, options);
    for (size_t i = 0, n; i < text->n; i += n) {
        state = state * 1664525U + 1013904223U;
        n = most == 0 ? text->n : 1 + (state >> 16) % most;
        if (n > text->n - i) n = text->n - i;
        char *delta = malloc(n); /* of exactly its size, so that the sanitizer detects a read past its end */
        fuzz_require(delta != NULL, "an allocation succeeds");
        memcpy(delta, text->data + i, n);
        serve_reasoning_feed(&r->s, delta, n, &r->sink);
        free(delta);
        fuzz_require(r->s.n_held < SERVE_MARK_BYTES, "what is held back is shorter than a marker");
    }
    serve_reasoning_end(&r->s, &r->sink);
    fuzz_require(r->fields[0].n + r->fields[1].n + r->s.n_dropped == text->n, "every byte is accounted for");
}

static void free_reading(reading *r)
{
    fuzz_require(!r->fields[0].failed && !r->fields[1].failed, "an allocation succeeds");
    buffer_free(&r->fields[0]);
    buffer_free(&r->fields[1]);
}

static void require_same(const reading *a, const reading *b)
{
    for (size_t i = 0; i < 2; i++)
        fuzz_require(
            a->fields[i].n == b->fields[i].n &&
                (a->fields[i].n == 0 || memcmp(a->fields[i].data, b->fields[i].data, a->fields[i].n) == 0),
            "the fields do not depend on the cuts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    const serve_reasoning_rules *rules = serve_reasoning_at((data[0] & 15U) % N_PARSERS);
    const serve_reasoning_options options = {.thinking_off = data[0] & 16U, .tools = data[0] & 32U};
    buffer text = expand_input(rules, data + 2, size - 2);
    reading whole, cut;
    read_reply(&whole, rules, &options, &text, 0);
    const size_t most[] = {1, 2 + data[1] % 40U};
    for (size_t i = 0; i < 2; i++) {
        read_reply(&cut, rules, &options, &text, most[i]);
        require_same(&whole, &cut);
        free_reading(&cut);
    }
    free_reading(&whole);
    buffer_free(&text);
    return 0;
}
