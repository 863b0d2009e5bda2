/* Gemma's channels: <|channel>thought … <channel|>, or <|channel>response instead of the end marker.
 *
 * Every channel except the one named response opens a block of reasoning. Blocks and answers may alternate;
 * all text in blocks is reasoning, all other text is content, and markers are neither. A channel's name on a
 * line of its own at the beginning of an answer is part of the marker before it. Both answers of the
 * published server drop the prefix of a marker that alone precedes a <channel|>.
 *
 * With thinking off, the recorded answer is that of the published server's stream: an empty block without a
 * name does not end at its <channel|>, and <|channel>response ends a block only once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/rules.h"

enum { CLOSE, THOUGHT, RESPONSE, OPEN, THOUGHT_LINE, RESPONSE_LINE, EMPTY };

enum phase {
    BEGIN, /* only white space so far */
    PLAIN,
    BLOCK,
    BETWEEN, /* after a block, before the answer */
    OFF,     /* thinking is off, and no channel was opened: <channel|> is ordinary text */
    OFF_PLAIN,
    OFF_BLOCK,
    OFF_BETWEEN,
    RESPONDED_PLAIN, /* the same after a <|channel>response */
    RESPONDED_BLOCK,
    RESPONDED_BETWEEN
};

/* The markers that open a block, and those that end one. */
#define MARKS(block, between, response)                                                                      \
    [THOUGHT] = SERVE_STEP(SERVE_DROPPED, block), [RESPONSE] = SERVE_STEP(SERVE_DROPPED, response),          \
    [OPEN] = SERVE_STEP(SERVE_DROPPED, block), [CLOSE] = SERVE_STEP(SERVE_DROPPED, between)

#define OFF_MARKS(block, between, response)                                                                  \
    MARKS(block, between, response), [EMPTY] = SERVE_STEP(SERVE_DROPPED, block)

#define NAMES(between, plain)                                                                                \
    {                                                                                                        \
        .text = SERVE_SPACE, .after = plain, .n_begun = OPEN + 1, .marks = {                                 \
            [THOUGHT_LINE] = SERVE_STEP(SERVE_DROPPED, between),                                             \
            [RESPONSE_LINE] = SERVE_STEP(SERVE_DROPPED, between)                                             \
        }                                                                                                    \
    }

static const serve_phase phases[] = {
    [BEGIN] = {.text = SERVE_SPACE,
               .after = PLAIN,
               .space = SERVE_CONTENT,
               .spaced = BEGIN,
               .n_begun = OPEN + 1,
               .marks = {MARKS(BLOCK, BETWEEN, BETWEEN)}},
    [PLAIN] = {.text = SERVE_CONTENT, .marks = {MARKS(BLOCK, BETWEEN, BETWEEN)}},
    [BLOCK] = {.text = SERVE_REASONING, .marks = {MARKS(BLOCK, BETWEEN, BETWEEN)}},
    [BETWEEN] = NAMES(BETWEEN, PLAIN),
    [OFF] = {.text = SERVE_CONTENT,
             .marks = {[THOUGHT] = SERVE_STEP(SERVE_DROPPED, OFF_BLOCK),
                       [RESPONSE] = SERVE_STEP(SERVE_DROPPED, RESPONDED_BETWEEN),
                       [OPEN] = SERVE_STEP(SERVE_DROPPED, OFF_BLOCK),
                       [EMPTY] = SERVE_STEP(SERVE_DROPPED, OFF_BLOCK)}},
    [OFF_PLAIN] = {.text = SERVE_CONTENT, .marks = {OFF_MARKS(OFF_BLOCK, OFF_BETWEEN, RESPONDED_BETWEEN)}},
    [OFF_BLOCK] = {.text = SERVE_REASONING, .marks = {OFF_MARKS(OFF_BLOCK, OFF_BETWEEN, RESPONDED_BETWEEN)}},
    [OFF_BETWEEN] = NAMES(OFF_BETWEEN, OFF_PLAIN),
    [RESPONDED_PLAIN] = {.text = SERVE_CONTENT,
                         .marks = {OFF_MARKS(RESPONDED_BLOCK, RESPONDED_BETWEEN, RESPONDED_BLOCK)}},
    [RESPONDED_BLOCK] = {.text = SERVE_REASONING,
                         .marks = {OFF_MARKS(RESPONDED_BLOCK, RESPONDED_BETWEEN, RESPONDED_BLOCK)}},
    [RESPONDED_BETWEEN] = NAMES(RESPONDED_BETWEEN, RESPONDED_PLAIN),
};

const serve_reasoning_rules serve_reasoning_gemma4 = {"gemma4",
                                                      phases,
                                                      BEGIN,
                                                      OFF,
                                                      {[THOUGHT] = SERVE_MARKER("<|channel>thought"),
                                                       [RESPONSE] = SERVE_MARKER("<|channel>response"),
                                                       [OPEN] = SERVE_MARKER("<|channel>"),
                                                       [CLOSE] = SERVE_MARKER("<channel|>"),
                                                       [THOUGHT_LINE] = SERVE_MARKER("thought\n"),
                                                       [RESPONSE_LINE] = SERVE_MARKER("response\n"),
                                                       [EMPTY] = SERVE_MARKER("<|channel><channel|>")}};
