/* The rules of reasoning parsers as data: the markers, and what each begins or ends.
 *
 * A reply goes through *phases*. A phase says how text is read and which markers it recognises; a marker
 * leads to another phase. The longest complete marker is chosen, so "<" can serve for any tag that is none of
 * the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_REASONING_RULES_H
#define DIALOGUE_REASONING_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SERVE_MARKS = 12,      /* most markers of a parser */
    SERVE_MARK_BYTES = 32, /* length of the longest marker */
    SERVE_PREFACE_BYTES = 64
};

typedef enum serve_reads_as {
    SERVE_NOTHING, /* of a marker: the phase does not recognise it, so it is text */
    SERVE_DROPPED,
    SERVE_CONTENT,
    SERVE_REASONING,
    SERVE_CALL,   /* content if a tool-call parser reads it, otherwise dropped */
    SERVE_SPACE,  /* white space is read as `space`; the first other byte is in phase `after` */
    SERVE_PREFACE /* held until a marker decides what it is; beyond SERVE_PREFACE_BYTES it is content, and the
                     phase is `after`; a marker of this kind begins the preface */
} serve_reads_as;

typedef struct serve_step {
    uint8_t as;     /* serve_reads_as of the marker itself */
    uint8_t to;     /* the next phase */
    uint8_t n;      /* how many bytes of the marker are read, the others are read in the next phase; 0: all */
    uint8_t waited; /* serve_reads_as of the preface before the marker; SERVE_NOTHING: it is dropped */
} serve_step;

/* A step whose marker is read as a whole. */
#define SERVE_STEP(reads_as, next)                                                                           \
    {                                                                                                        \
        .as = (reads_as), .to = (next)                                                                       \
    }

typedef struct serve_phase {
    uint8_t text; /* serve_reads_as */
    uint8_t after;
    uint8_t space;   /* of SERVE_SPACE: serve_reads_as of white space; SERVE_NOTHING: it is dropped */
    uint8_t spaced;  /* of SERVE_SPACE: the phase after white space, if `space` is not SERVE_NOTHING */
    uint8_t n_begun; /* of SERVE_SPACE: a proper prefix of one of the first n_begun markers is dropped
                        immediately before the first marker */
    uint8_t n_last; /* with thinking off, a prefix of one of the first n_last markers is dropped at the end of
                       the reply */
    bool calls; /* of SERVE_PREFACE: at the end of the reply it is content only if it is the beginning of a
                   call, otherwise reasoning */
    serve_step marks[SERVE_MARKS];
} serve_phase;

typedef struct serve_marker {
    const char *at; /* [n], n <= SERVE_MARK_BYTES; NULL: the parser has no marker in this role */
    uint8_t n;
} serve_marker;

typedef struct serve_reasoning_rules {
    const char *name;
    const serve_phase *phases;
    uint8_t first, first_off; /* the phase at the beginning of a reply; the same if thinking is off */
    serve_marker marks[SERVE_MARKS];
} serve_reasoning_rules;

#define SERVE_MARKER(text)                                                                                   \
    {                                                                                                        \
        text, sizeof(text) - 1                                                                               \
    }

/* think.c: blocks between two tags. */
extern const serve_reasoning_rules serve_reasoning_qwen3, serve_reasoning_deepseek_r1,
    serve_reasoning_deepseek_v4, serve_reasoning_glm4, serve_reasoning_mistral, serve_reasoning_step3p5,
    serve_reasoning_poolside_v1;

/* channel.c: Gemma's channels. */
extern const serve_reasoning_rules serve_reasoning_gemma4;

/* harmony.c: messages with headers. */
extern const serve_reasoning_rules serve_reasoning_gpt_oss, serve_reasoning_harmony;

#endif
