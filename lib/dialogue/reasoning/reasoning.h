/* Reasoning parsers: separate a reply into the model's reasoning and its answer.
 *
 * One state machine applies the rules of all parsers (dialogue/reasoning/rules.h) in one pass. A reply comes
 * in deltas that are cut anywhere, also within a marker or a character; the joined output does not depend on
 * the cuts. Time is linear, memory constant: only a possible beginning of a marker, an incomplete character,
 * and for gpt_oss the first 64 bytes of a reply without a channel so far, are held.
 *
 * Pieces come in the order of the text. Bytes are passed on unchanged, including invalid UTF-8; dropped are
 * markers, white space after a block, what the rules drop (harmony.c), and reasoning if thinking is off. A
 * piece consists of whole characters if the reply does.
 *
 * A stream must decide before it has seen the whole text. So if thinking is implicit, a reply without any tag
 * is reasoning, and an unclosed block is reasoning for every parser.
 *
 * Thinking off (the request's enable_thinking, or the template's arguments): content is passed on unchanged
 * until an explicit marker opens or closes a block; from there on the reply is parsed as usual, and reasoning
 * is dropped. Parsers without explicit markers (gpt_oss, harmony) pass on everything.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_REASONING_REASONING_H
#define DIALOGUE_REASONING_REASONING_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dialogue/reasoning/rules.h"

/* Finds a parser's rules by name. ASSAY_EUNSUPPORTED for an unknown name; the message lists the known
 * ones. */
assay_status serve_reasoning_find(const char *name, const serve_reasoning_rules **out, assay_error *err);

/* The i-th parser's rules; NULL after the last. */
const serve_reasoning_rules *serve_reasoning_at(size_t i);

typedef struct serve_reasoning_options {
    bool thinking_off;
    bool tools; /* a tool-call parser reads the content, so messages to tools remain in it */
} serve_reasoning_options;

/* The state of parsing one reply. It holds no resources. */
typedef struct serve_reasoning {
    const serve_reasoning_rules *rules;
    serve_reasoning_options options;
    uint64_t n_dropped; /* bytes so far that are in no piece */
    uint8_t phase;
    uint8_t n_marks, n_first, n_held, n_preface;
    uint8_t marks[SERVE_MARKS]; /* those that the phase recognises */
    char first[2];              /* the bytes that they begin with */
    char held[SERVE_MARK_BYTES];
    char preface[SERVE_PREFACE_BYTES];
} serve_reasoning;

void serve_reasoning_start(serve_reasoning *s, const serve_reasoning_rules *rules,
                           const serve_reasoning_options *options);

/* delta: [n], borrowed. Emits pieces of ASSAY_PART_REASONING and ASSAY_PART_CONTENT. */
void serve_reasoning_feed(serve_reasoning *s, const char *delta, size_t n, const assay_sink *sink);

/* Ends the reply and emits what was held. Called once, last. */
void serve_reasoning_end(serve_reasoning *s, const assay_sink *sink);

#endif
