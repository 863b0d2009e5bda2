/* Blocks between two tags, as in <think>…</think>.
 *
 * If the prompt has opened the block, the reply begins within it: all text before the first tag is reasoning
 * (implicit thinking). Several blocks may precede the answer; after its beginning everything is content,
 * including tags. A tool call within a block is content up to its own end or that of the block; but not in an
 * implicit block, nor in a block after another, where it cannot be told from text that mentions calls.
 *
 * In both answers of deepseek_v4 a call within a block is text that mentions a call, and so reasoning, if
 * nothing ends it and neither an object nor a tag begins it, or if the end marker of tool calls ends it: its
 * first SERVE_PREFACE_BYTES are held.
 *
 * Both answers of the published server drop the prefix of a marker that alone precedes the first tag of
 * deepseek_r1, deepseek_v4 or step3p5, and, with thinking off, the prefix of a tag that is the whole answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/rules.h"

enum { START, END, HELD_CALL, CALL, CALL_END, TOOLS, BOX, BOX_END, START_TOOLS };

enum phase {
    BEGIN,    /* nothing so far; the prefix of a marker before the first tag is dropped */
    SPACED,   /* the same after white space */
    IMPLICIT, /* no tag so far: reasoning */
    PLAIN,    /* no tag so far: content */
    OFF,      /* no tag so far, and thinking is off: content, unchanged */
    BLOCK,
    HELD, /* in a call of deepseek_v4 that may turn out to be none */
    CALLING,
    AGAIN,   /* a block after another */
    BETWEEN, /* after a block, before the answer */
    ANSWER
};

#define IMPLICIT_MARKS                                                                                       \
    [START] = SERVE_STEP(SERVE_DROPPED, BLOCK), [END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),                  \
    [TOOLS] = SERVE_STEP(SERVE_CONTENT, ANSWER)

/* A tag that the end marker of tool calls immediately ends is reasoning, except at the beginning. */
#define NO_BLOCK [START_TOOLS] = {.as = SERVE_REASONING, .to = IMPLICIT, .n = sizeof("<think>") - 1}

static const serve_phase phases[] = {
    [BEGIN] = {.text = SERVE_SPACE,
               .after = IMPLICIT,
               .space = SERVE_REASONING,
               .spaced = SPACED,
               .n_begun = CALL + 1,
               .marks = {IMPLICIT_MARKS}},
    [SPACED] = {.text = SERVE_SPACE,
                .after = IMPLICIT,
                .space = SERVE_REASONING,
                .spaced = SPACED,
                .n_begun = CALL + 1,
                .marks = {IMPLICIT_MARKS, NO_BLOCK}},
    [IMPLICIT] = {.text = SERVE_REASONING, .marks = {IMPLICIT_MARKS, NO_BLOCK}},
    [PLAIN] = {.text = SERVE_CONTENT,
               .marks = {[START] = SERVE_STEP(SERVE_DROPPED, BLOCK),
                         [END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                         [BOX] = SERVE_STEP(SERVE_DROPPED, PLAIN),
                         [BOX_END] = SERVE_STEP(SERVE_DROPPED, PLAIN)}},
    [OFF] = {.text = SERVE_CONTENT,
             .marks = {[START] = SERVE_STEP(SERVE_DROPPED, BLOCK),
                       [END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                       [TOOLS] = SERVE_STEP(SERVE_CONTENT, ANSWER)}},
    [BLOCK] = {.text = SERVE_REASONING,
               .marks = {[END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                         [HELD_CALL] = SERVE_STEP(SERVE_PREFACE, HELD),
                         [CALL] = SERVE_STEP(SERVE_CONTENT, CALLING),
                         [TOOLS] = SERVE_STEP(SERVE_CONTENT, ANSWER),
                         [BOX] = SERVE_STEP(SERVE_DROPPED, BLOCK),
                         [BOX_END] = SERVE_STEP(SERVE_DROPPED, BLOCK)}},
    [HELD] = {.text = SERVE_PREFACE,
              .after = CALLING,
              .calls = true,
              .marks = {[END] = {.as = SERVE_DROPPED, .to = BETWEEN, .waited = SERVE_CONTENT},
                        [CALL_END] = {.as = SERVE_CONTENT, .to = BLOCK, .waited = SERVE_CONTENT},
                        [TOOLS] = {.as = SERVE_CONTENT, .to = ANSWER, .waited = SERVE_REASONING}}},
    [CALLING] = {.text = SERVE_CONTENT,
                 .marks = {[END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                           [CALL_END] = SERVE_STEP(SERVE_CONTENT, BLOCK),
                           [TOOLS] = SERVE_STEP(SERVE_CONTENT, ANSWER),
                           [BOX] = SERVE_STEP(SERVE_DROPPED, CALLING),
                           [BOX_END] = SERVE_STEP(SERVE_DROPPED, CALLING)}},
    [AGAIN] = {.text = SERVE_REASONING,
               .marks = {[END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                         [BOX] = SERVE_STEP(SERVE_DROPPED, AGAIN),
                         [BOX_END] = SERVE_STEP(SERVE_DROPPED, AGAIN)}},
    [BETWEEN] = {.text = SERVE_SPACE,
                 .after = ANSWER,
                 .n_last = END + 1,
                 .marks = {[START] = SERVE_STEP(SERVE_DROPPED, AGAIN),
                           [END] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                           [BOX] = SERVE_STEP(SERVE_DROPPED, BETWEEN),
                           [BOX_END] = SERVE_STEP(SERVE_DROPPED, BETWEEN)}},
    [ANSWER] =
        {.text = SERVE_CONTENT,
         .marks = {[BOX] = SERVE_STEP(SERVE_DROPPED, ANSWER), [BOX_END] = SERVE_STEP(SERVE_DROPPED, ANSWER)}},
};

#define TAGS(start, end)                                                                                     \
    [START] = SERVE_MARKER(start), [END] = SERVE_MARKER(end), [CALL] = SERVE_MARKER("<tool_call>"),          \
    [CALL_END] = SERVE_MARKER("</tool_call>")

const serve_reasoning_rules serve_reasoning_qwen3 = {
    "qwen3", phases, IMPLICIT, OFF, {TAGS("<think>", "</think>")}};

const serve_reasoning_rules serve_reasoning_poolside_v1 = {
    "poolside_v1", phases, IMPLICIT, OFF, {TAGS("<think>", "</think>")}};

const serve_reasoning_rules serve_reasoning_step3p5 = {
    "step3p5", phases, BEGIN, OFF, {TAGS("<think>", "</think>")}};

const serve_reasoning_rules serve_reasoning_mistral = {
    "mistral", phases, IMPLICIT, OFF, {TAGS("[THINK]", "[/THINK]")}};

const serve_reasoning_rules serve_reasoning_deepseek_r1 = {
    "deepseek_r1", phases, BEGIN, OFF, {TAGS("<think>", "</think>")}};

#define DSML "<｜DSML｜tool_calls>"

/* Tool calls end the block, and no other marker is recognised in them. */
const serve_reasoning_rules serve_reasoning_deepseek_v4 = {
    "deepseek_v4",
    phases,
    BEGIN,
    OFF,
    {TAGS("<think>", "</think>"), [HELD_CALL] = SERVE_MARKER("<tool_call>"), [TOOLS] = SERVE_MARKER(DSML),
     [START_TOOLS] = SERVE_MARKER("<think>" DSML)}};

/* The model itself decides whether to think; an answer may be in a box. */
const serve_reasoning_rules serve_reasoning_glm4 = {
    "glm4",
    phases,
    PLAIN,
    OFF,
    {TAGS("<think>", "</think>"), [BOX] = SERVE_MARKER("<|begin_of_box|>"),
     [BOX_END] = SERVE_MARKER("<|end_of_box|>")}};
