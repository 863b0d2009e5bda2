/* One step of a decoder, used only by tokenizer_decoder.
 *
 * A step receives tokens and passes tokens on to the next step. Fuse and ByteLevel join all tokens into
 * one, which they pass on in parts (step_part); a step that needs the whole token buffers them until
 * step_end.
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
    STEP_SPACES, /* without a decoder: joins tokens with spaces */
    STEP_STRIP,
    STEP_WORDPIECE
} step_kind;

/* Members that do not list the step's kind are zero. */
typedef struct step {
    step_kind kind;
    tokenizer_pattern *pattern; /* REPLACE */
    char *text;                 /* [n]: BPE: suffix; CTC: pad_token; REPLACE: content; WORDPIECE: prefix */
    size_t n;
    char *delimiter; /* [n_delimiter]: CTC */
    size_t n_delimiter;
    bool cleanup;        /* CTC, WORDPIECE */
    bool drops_first;    /* META: replacement characters in the first token are removed */
    uint32_t character;  /* META, STRIP */
    int64_t start, stop; /* STRIP: maximum number of characters removed at the left and at the right */
} step;

struct tokenizer_decoder {
    step steps[STEPS_MAX];
    size_t n_steps;
};

/* The state of one step. */
typedef struct step_state {
    size_t n_tokens; /* received so far */
    bool in_parts;   /* its input is one token in parts */
    bool holds;      /* BPE, CTC: `held` is a token, which may be empty */
    int64_t n_stripped;
    bool strip_done; /* STRIP: stripping at the left has ended */
    size_t n_valid;  /* BYTE_FALLBACK: bytes of `held` that are complete characters */
    bool is_broken;  /* BYTE_FALLBACK: the current run of byte tokens is invalid UTF-8 */
    buffer held;     /* input that is not passed on yet; CTC: the previous token */
    buffer made;     /* the token that is passed on */
} step_state;

struct tokenizer_decoding {
    const tokenizer_decoder *decoder;
    tokenizer_matcher *matcher;
    tokenizer_growth growth; /* of all tokens so far: limits the text that steps add */
    buffer *out;
    step_state states[]; /* [decoder->n_steps] */
};

/* Passes a token, or a part of one, to step `number`; number == n_steps appends it to g->out. */
assay_status step_token(tokenizer_decoding *g, size_t number, const char *text, size_t n, assay_error *err);
assay_status step_part(tokenizer_decoding *g, size_t number, const char *text, size_t n, assay_error *err);
/* Ends the input of step `number` and of all later steps. */
assay_status step_end(tokenizer_decoding *g, size_t number, assay_error *err);

#endif
