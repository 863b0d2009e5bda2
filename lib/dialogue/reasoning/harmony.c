/* Messages with headers, OpenAI's Harmony: <|start|>assistant<|channel|>NAME … <|message|> … <|end|>.
 *
 * The channel named analysis is reasoning, the one named final is content, whatever follows the name in the
 * header. A header may have one <|constrain|> before its <|message|> and no other "<"; the message of an
 * invalid header is dropped, and so are headers, messages of other channels and text outside of messages.
 * Messages to tools remain in the content, with their markers, if a parser of tool calls reads it.
 *
 * A second <|message|> within a message is text for gpt_oss; harmony drops it.
 *
 * gpt_oss treats a text without any channel as content, and drops text before the first channel. So it holds
 * up to SERVE_PREFACE_BYTES at the beginning of a reply until a channel comes, since a stream cannot wait for
 * its end. harmony drops all text before the first channel.
 *
 * With thinking off the reply is passed on unchanged, because no marker here is explicit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/rules.h"

enum { ANALYSIS, FINAL, COMMENTARY, CHANNEL, MESSAGE, START, END, RETURN, CALL, CONSTRAIN, LESS };

enum phase {
    PREFACE,
    PLAIN, /* a preface that exceeded SERVE_PREFACE_BYTES */
    OUTSIDE,
    ANALYSIS_HEAD,
    ANALYSIS_CONSTRAINED, /* a header after its <|constrain|> */
    THOUGHT,
    FINAL_HEAD,
    FINAL_CONSTRAINED,
    ANSWER,
    TO_TOOLS,
    OFF
};

/* The channel names, which are recognised in every phase. */
#define CHANNELS                                                                                             \
    [ANALYSIS] = SERVE_STEP(SERVE_DROPPED, ANALYSIS_HEAD), [FINAL] = SERVE_STEP(SERVE_DROPPED, FINAL_HEAD),  \
    [COMMENTARY] = SERVE_STEP(SERVE_CALL, TO_TOOLS), [CHANNEL] = SERVE_STEP(SERVE_DROPPED, OUTSIDE)

/* The markers that end a message. */
#define ENDS(as)                                                                                             \
    [START] = SERVE_STEP(as, OUTSIDE), [END] = SERVE_STEP(as, OUTSIDE), [RETURN] = SERVE_STEP(as, OUTSIDE),  \
    [CALL] = SERVE_STEP(as, OUTSIDE)

/* A header that stays in phase `this` and ends in phase `message`. */
#define HEAD(constrained, message)                                                                           \
    {                                                                                                        \
        .text = SERVE_DROPPED, .marks = {                                                                    \
            CHANNELS,                                                                                        \
            [MESSAGE] = SERVE_STEP(SERVE_DROPPED, message),                                                  \
            [CONSTRAIN] = SERVE_STEP(SERVE_DROPPED, constrained),                                            \
            [LESS] = SERVE_STEP(SERVE_DROPPED, OUTSIDE)                                                      \
        }                                                                                                    \
    }

#define UNFRAMED(this)                                                                                       \
    CHANNELS, [START] = SERVE_STEP(SERVE_DROPPED, this), [END] = SERVE_STEP(SERVE_DROPPED, this),            \
              [RETURN] = SERVE_STEP(SERVE_DROPPED, this), [CALL] = SERVE_STEP(SERVE_DROPPED, this)

/* A message in phase `this`; second: how a second <|message|> is read. */
#define IN_MESSAGE(as_text, this, second)                                                                    \
    {                                                                                                        \
        .text = as_text, .marks = {                                                                          \
            CHANNELS,                                                                                        \
            ENDS(SERVE_DROPPED),                                                                             \
            [MESSAGE] = SERVE_STEP(second, this),                                                            \
            [CONSTRAIN] = SERVE_STEP(SERVE_DROPPED, OUTSIDE)                                                 \
        }                                                                                                    \
    }

#define PHASES(second)                                                                                       \
    {                                                                                                        \
        [PREFACE] = {.text = SERVE_PREFACE, .after = PLAIN, .marks = {UNFRAMED(PREFACE)}},                   \
        [PLAIN] = {.text = SERVE_CONTENT, .marks = {UNFRAMED(PLAIN)}},                                       \
        [OUTSIDE] = {.text = SERVE_DROPPED, .marks = {CHANNELS}},                                            \
        [ANALYSIS_HEAD] = HEAD(ANALYSIS_CONSTRAINED, THOUGHT),                                               \
        [ANALYSIS_CONSTRAINED] = HEAD(OUTSIDE, THOUGHT),                                                     \
        [THOUGHT] = IN_MESSAGE(SERVE_REASONING, THOUGHT, second),                                            \
        [FINAL_HEAD] = HEAD(FINAL_CONSTRAINED, ANSWER), [FINAL_CONSTRAINED] = HEAD(OUTSIDE, ANSWER),         \
        [ANSWER] = IN_MESSAGE(SERVE_CONTENT, ANSWER, second),                                                \
        [TO_TOOLS] = {.text = SERVE_CALL, .marks = {CHANNELS, ENDS(SERVE_CALL)}},                            \
        [OFF] = {.text = SERVE_CONTENT},                                                                     \
    }

static const serve_phase gpt_oss_phases[] = PHASES(SERVE_NOTHING), harmony_phases[] = PHASES(SERVE_DROPPED);

#define MARKERS                                                                                              \
    [ANALYSIS] = SERVE_MARKER("<|channel|>analysis"), [FINAL] = SERVE_MARKER("<|channel|>final"),            \
    [COMMENTARY] = SERVE_MARKER("<|channel|>commentary"), [CHANNEL] = SERVE_MARKER("<|channel|>"),           \
    [MESSAGE] = SERVE_MARKER("<|message|>"), [START] = SERVE_MARKER("<|start|>"),                            \
    [END] = SERVE_MARKER("<|end|>"), [RETURN] = SERVE_MARKER("<|return|>"),                                  \
    [CALL] = SERVE_MARKER("<|call|>"), [CONSTRAIN] = SERVE_MARKER("<|constrain|>"),                          \
    [LESS] = SERVE_MARKER("<")

const serve_reasoning_rules serve_reasoning_gpt_oss = {"gpt_oss", gpt_oss_phases, PREFACE, OFF, {MARKERS}};

const serve_reasoning_rules serve_reasoning_harmony = {"harmony", harmony_phases, OUTSIDE, OFF, {MARKERS}};
