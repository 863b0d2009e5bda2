/* Gemma's channels: <|channel>thought … <channel|>, or <|channel>response instead of the end.
 *
 * Any channel opens a block but the one called response. Blocks and answers may take turns; all text of
 * blocks is reasoning, all other text content, and no marker is either. A channel's name on a line by itself
 * where an answer begins is part of the marker before it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/reasoning_rules.h"

enum { THOUGHT, RESPONSE, OPEN, CLOSE, THOUGHT_LINE, RESPONSE_LINE };

enum phase {
    PLAIN,
    OFF, /* thinking is off, and no channel was opened: <channel|> is ordinary text */
    BLOCK,
    BETWEEN /* behind a block, before the answer */
};

static const serve_phase phases[] = {
    [PLAIN] = {.text = SERVE_CONTENT,
               .marks = {[THOUGHT] = {SERVE_DROPPED, BLOCK},
                         [RESPONSE] = {SERVE_DROPPED, BETWEEN},
                         [OPEN] = {SERVE_DROPPED, BLOCK},
                         [CLOSE] = {SERVE_DROPPED, BETWEEN}}},
    [OFF] = {.text = SERVE_CONTENT,
             .marks = {[THOUGHT] = {SERVE_DROPPED, BLOCK},
                       [RESPONSE] = {SERVE_DROPPED, BETWEEN},
                       [OPEN] = {SERVE_DROPPED, BLOCK}}},
    [BLOCK] = {.text = SERVE_REASONING,
               .marks = {[THOUGHT] = {SERVE_DROPPED, BLOCK},
                         [RESPONSE] = {SERVE_DROPPED, BETWEEN},
                         [OPEN] = {SERVE_DROPPED, BLOCK},
                         [CLOSE] = {SERVE_DROPPED, BETWEEN}}},
    [BETWEEN] =
        {.text = SERVE_SPACE,
         .after = PLAIN,
         .marks = {[THOUGHT_LINE] = {SERVE_DROPPED, BETWEEN}, [RESPONSE_LINE] = {SERVE_DROPPED, BETWEEN}}},
};

const serve_reasoning_rules serve_reasoning_gemma4 = {"gemma4",
                                                      phases,
                                                      PLAIN,
                                                      OFF,
                                                      {[THOUGHT] = SERVE_MARKER("<|channel>thought"),
                                                       [RESPONSE] = SERVE_MARKER("<|channel>response"),
                                                       [OPEN] = SERVE_MARKER("<|channel>"),
                                                       [CLOSE] = SERVE_MARKER("<channel|>"),
                                                       [THOUGHT_LINE] = SERVE_MARKER("thought\n"),
                                                       [RESPONSE_LINE] = SERVE_MARKER("response\n")}};
