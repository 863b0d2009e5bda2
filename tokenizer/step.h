/* One step of a decoder, for tokenizer_decoder alone.
 *
 * A step is given tokens, and makes tokens for the next step of them. What Fuse and ByteLevel make is one
 * token of all, which grows: it comes in parts. A step that must know the whole of it waits for the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_STEP_H
#define TOKENIZER_STEP_H

#include <assay/status.h>

#include "base/buffer.h"
#include "tokenizer/text/pattern.h"
#include "tokenizer/text/writer.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tokenizer_decoder tokenizer_decoder;
typedef struct tokenizer_decoding tokenizer_decoding;

#define STEPS_MAX 64

typedef enum step_kind {
    STEP_BPE,
    STEP_BYTE_FALLBACK,
    STEP_BYTE_LEVEL,
    STEP_CTC,
    STEP_FUSE,
    STEP_META,
    STEP_REPLACE,
    STEP_SPACES, /* where there is no decoder */
    STEP_STRIP,
    STEP_WORDPIECE
} step_kind;

/* What a kind does not name is zero. */
typedef struct step {
    step_kind kind;
    tokenizer_pattern *pattern; /* REPLACE */
    char *text;                 /* [n]: BPE: suffix; CTC: pad_token; REPLACE: content; WORDPIECE: prefix */
    size_t n;
    char *delimiter; /* [n_delimiter]: CTC */
    size_t n_delimiter;
    bool cleanup;        /* CTC, WORDPIECE */
    bool drops_first;    /* META: replacements in the first token are gone */
    uint32_t character;  /* META, STRIP */
    int64_t start, stop; /* STRIP: how many characters at most */
} step;

struct tokenizer_decoder {
    step steps[STEPS_MAX];
    size_t n_steps;
};

/* What a step remembers. */
typedef struct step_state {
    size_t n_tokens; /* that it has been given */
    bool in_parts;   /* it is given one token in parts */
    bool holds;      /* there is something in `held`, though it may be empty */
    int64_t n_stripped;
    bool strip_done; /* at the left */
    size_t n_valid;  /* BYTE_FALLBACK: bytes of `held` that are whole characters */
    bool is_broken;  /* BYTE_FALLBACK: the row of bytes is no text */
    buffer held;     /* what waits for more */
    buffer made;     /* the token that it hands on */
} step_state;

struct tokenizer_decoding {
    const tokenizer_decoder *decoder;
    tokenizer_matcher *matcher;
    tokenizer_growth growth; /* of the tokens so far: what steps may add to them */
    buffer *out;
    step_state states[STEPS_MAX];
};

/* Gives the step with that number a token, or a part of one; the number behind the last writes it out. */
assay_status step_token(tokenizer_decoding *g, size_t number, const char *text, size_t n, assay_error *err);
assay_status step_part(tokenizer_decoding *g, size_t number, const char *text, size_t n, assay_error *err);
/* Tells it that nothing follows. */
assay_status step_end(tokenizer_decoding *g, size_t number, assay_error *err);

#endif
