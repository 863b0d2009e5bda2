/* Gemma's channels: <|channel>thought … <channel|>, or <|channel>response instead of the end.
 *
 * Any channel opens a block but the one called response. Blocks and answers may take turns; all text of
 * blocks is reasoning, all other text content, and no marker is either. A channel's name on a line by itself
 * where an answer begins is part of the marker before it. Both answers of the published server drop the
 * beginning of a marker that stands alone before a <channel|>.
 *
 * Where thinking is off, the answer that is shown is that of the published server's stream: an empty block
 * without a name does not end at its <channel|>, and <|channel>response ends a block only once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/reasoning/rules.h"

enum { CLOSE, THOUGHT, RESPONSE, OPEN, THOUGHT_LINE, RESPONSE_LINE, EMPTY };

enum phase {
    BEGIN, /* nothing but white space yet */
    PLAIN,
    BLOCK,
    BETWEEN, /* behind a block, before the answer */
    OFF,     /* thinking is off, and no channel was opened: <channel|> is ordinary text */
    OFF_PLAIN,
    OFF_BLOCK,
    OFF_BETWEEN,
    RESPONDED_PLAIN, /* the same behind a <|channel>response */
    RESPONDED_BLOCK,
    RESPONDED_BETWEEN
};

/* What opens a block, and what ends one. */
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
