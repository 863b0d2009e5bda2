/* Reasoning parsers: what of a reply is the model's thinking, and what its answer.
 *
 * One state machine reads the rules of all parsers (serving/reasoning/rules.h) in one pass. A reply is fed in
 * deltas, cut anywhere, also within a marker or a character; what comes out, fields joined, does not depend
 * on the cuts. Time is linear, memory constant: what is held back is a tail that may yet become a marker or
 * is part of a character, and for gpt_oss the first 64 bytes of a reply that has named no channel.
 *
 * The order of pieces is that of the text. Bytes come out as they went in, invalid UTF-8 too; dropped are
 * markers, white space behind a block, what the rules drop (reasoning_harmony.c), and reasoning where
 * thinking is off. A piece is whole characters where the reply's are.
 *
 * A stream must decide before it can know. So where thinking is implicit, a reply without any tag is
 * reasoning, and a block that is never closed is reasoning for every parser.
 *
 * Thinking off (the request's enable_thinking, or the template's arguments): content is passed on as it is
 * until an explicit marker opens or closes a block; from there on the reply is read as usual, and reasoning
 * is dropped. Parsers without explicit markers (gpt_oss, harmony) never get there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_REASONING_REASONING_H
#define SERVING_REASONING_REASONING_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serving/reasoning/rules.h"

/* The rules of the parser of this name. ASSAY_EUNSUPPORTED where there is none; the reason lists those that
 * there are. */
assay_status serve_reasoning_find(const char *name, const serve_reasoning_rules **out, assay_error *err);

/* The i-th parser's rules; NULL behind the last. */
const serve_reasoning_rules *serve_reasoning_at(size_t i);

typedef struct serve_reasoning_options {
    bool thinking_off;
    bool tools; /* a parser of such calls reads the content: messages to tools are left in it */
} serve_reasoning_options;

/* A reply under way. All of its state; nothing to free. */
typedef struct serve_reasoning {
    const serve_reasoning_rules *rules;
    serve_reasoning_options options;
    uint64_t n_dropped; /* bytes that no piece holds, so far */
    uint8_t phase;
    uint8_t n_marks, n_first, n_held, n_preface;
    uint8_t marks[SERVE_MARKS]; /* those that the phase knows */
    char first[2];              /* the bytes that they begin with */
    char held[SERVE_MARK_BYTES];
    char preface[SERVE_PREFACE_BYTES];
} serve_reasoning;

void serve_reasoning_start(serve_reasoning *s, const serve_reasoning_rules *rules,
                           const serve_reasoning_options *options);

/* delta: [n], borrowed. Pieces are ASSAY_PART_REASONING or ASSAY_PART_CONTENT. */
void serve_reasoning_feed(serve_reasoning *s, const char *delta, size_t n, const assay_sink *sink);

/* Releases what was held back. Nothing is fed after it. */
void serve_reasoning_end(serve_reasoning *s, const assay_sink *sink);

#endif
