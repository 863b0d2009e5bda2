/* Writing a normalised text beside the one that it is made of.
 *
 * A published tokenizer knows for each normalised character which original ones it stands for. Of all that
 * only one thing decides ids: which pieces begin with the original text (Metaspace's prepend_scheme "first").
 * So a text has an origin: how many of its bytes, from the left, stand for the first original character.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_WRITER_H
#define TOKENIZER_TEXT_WRITER_H

#include <assay/status.h>

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text[0..n): valid UTF-8, borrowed; n_origin: its origin, in bytes. */
typedef struct tokenizer_text {
    const char *text;
    size_t n;
    size_t n_origin;
} tokenizer_text;

/* The part text[from..to) of a text. */
tokenizer_text tokenizer_text_part(const tokenizer_text *t, size_t from, size_t to);

/* How far a tokenizer.json may make a text grow, which a few steps could do without end: to TOKENIZER_GROWTH
 * times its bytes and TOKENIZER_GROWTH_LEAST more. Normal forms need 11 times, characters for bytes twice as
 * many. */
#define TOKENIZER_GROWTH       64
#define TOKENIZER_GROWTH_LEAST 65536

typedef struct tokenizer_growth {
    size_t n_text; /* bytes of the text */
    size_t left;   /* bytes that may still be made of it */
} tokenizer_growth;

/* The growth that a text of n bytes has. */
tokenizer_growth tokenizer_growth_begin(size_t n);

/* Counts n bytes that have been made. */
void tokenizer_growth_count(tokenizer_growth *g, size_t n);

/* ASSAY_EUNSUPPORTED: what, a member of tokenizer.json, makes too much of the text. */
assay_status tokenizer_growth_fail(const tokenizer_growth *g, const char *what, assay_error *err);

typedef struct tokenizer_writer {
    buffer *out;
    tokenizer_text old;
    size_t at; /* in old: up to where its characters are used up */
    size_t n_origin;
    bool is_origin; /* all that has been written so far belongs to the origin */
    bool failed;    /* out of memory */
    size_t most;    /* bytes that may be written */
    bool too_long;  /* there were more to write */
} tokenizer_writer;

/* Begins with an empty *out, which may get at most `most` bytes. */
tokenizer_writer tokenizer_writer_begin(buffer *out, const tokenizer_text *old, size_t most);

/* Writes a character. change, as the publisher counts: 0: it replaces the next old one; 1: it is added; -k:
 * it replaces the next old one, and k more are gone behind that. */
void tokenizer_writer_put(tokenizer_writer *w, uint32_t codepoint, ptrdiff_t change);

/* Writes the next n bytes of the old text as they are. */
void tokenizer_writer_copy(tokenizer_writer *w, const char *text, size_t n);

/* Passes over the next old characters: up to old.text[at]. */
void tokenizer_writer_skip(tokenizer_writer *w, size_t at);

/* What has been written, which lies in *out. */
tokenizer_text tokenizer_writer_end(const tokenizer_writer *w);

#endif
