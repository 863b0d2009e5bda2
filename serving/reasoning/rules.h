/* The rules of reasoning parsers, as data: which markers there are, and what each begins or ends.
 *
 * A reply goes through *phases*. A phase says what text is, and which markers it knows; a marker leads to
 * another phase. Of markers that begin alike the longest one that is there counts, so "<" can stand for
 * whatever is none of the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_REASONING_RULES_H
#define SERVING_REASONING_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SERVE_MARKS = 12,      /* most markers of a parser */
    SERVE_MARK_BYTES = 32, /* the longest of them */
    SERVE_PREFACE_BYTES = 64
};

typedef enum serve_reads_as {
    SERVE_NOTHING, /* of a marker: the phase does not know it, so that it is text */
    SERVE_DROPPED,
    SERVE_CONTENT,
    SERVE_REASONING,
    SERVE_CALL,   /* content where a parser of tool calls reads it, else dropped */
    SERVE_SPACE,  /* white space is read as `space`; anything else belongs to `after` */
    SERVE_PREFACE /* waits for a marker, which says what it is; beyond SERVE_PREFACE_BYTES it is content, and
                   * the phase is `after`; a marker of this kind is the first to wait */
} serve_reads_as;

typedef struct serve_step {
    uint8_t as; /* serve_reads_as of the marker itself */
    uint8_t to; /* phase */
    uint8_t n;  /* bytes of the marker that are read, the others are read in the next phase; 0: all of it */
    uint8_t waited; /* serve_reads_as of what waits before the marker; SERVE_NOTHING: it is dropped */
} serve_step;

/* One whose marker is read as a whole. */
#define SERVE_STEP(reads_as, next)                                                                           \
    {                                                                                                        \
        .as = (reads_as), .to = (next)                                                                       \
    }

typedef struct serve_phase {
    uint8_t text; /* serve_reads_as */
    uint8_t after;
    uint8_t space;   /* of SERVE_SPACE: serve_reads_as of white space; SERVE_NOTHING: it is dropped */
    uint8_t spaced;  /* of SERVE_SPACE: the phase behind white space, where `space` is not SERVE_NOTHING */
    uint8_t n_begun; /* of SERVE_SPACE: a proper beginning of one of this many first markers is dropped
                        directly before the first one */
    uint8_t n_last;  /* where thinking is off, a beginning of one of this many first markers that the reply
                        ends in is dropped */
    bool calls; /* of SERVE_PREFACE: at the end of the reply it is content only where it is the beginning of
                   a call, else reasoning */
    serve_step marks[SERVE_MARKS];
} serve_phase;

typedef struct serve_marker {
    const char *at; /* [n], n <= SERVE_MARK_BYTES; NULL: the parser has none of this role */
    uint8_t n;
} serve_marker;

typedef struct serve_reasoning_rules {
    const char *name;
    const serve_phase *phases;
    uint8_t first, first_off; /* the phase that a reply begins in; the same where thinking is turned off */
    serve_marker marks[SERVE_MARKS];
} serve_reasoning_rules;

#define SERVE_MARKER(text)                                                                                   \
    {                                                                                                        \
        text, sizeof(text) - 1                                                                               \
    }

/* reasoning_think.c: blocks between two tags. */
extern const serve_reasoning_rules serve_reasoning_qwen3, serve_reasoning_deepseek_r1,
    serve_reasoning_deepseek_v4, serve_reasoning_glm4, serve_reasoning_mistral, serve_reasoning_step3p5,
    serve_reasoning_poolside_v1;

/* reasoning_channel.c: Gemma's channels. */
extern const serve_reasoning_rules serve_reasoning_gemma4;

/* reasoning_harmony.c: messages with headers. */
extern const serve_reasoning_rules serve_reasoning_gpt_oss, serve_reasoning_harmony;

#endif
