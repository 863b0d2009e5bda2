/* Writes a normalised text and tracks which part of it stems from the first original character.
 *
 * Hugging Face's tokenizers aligns each normalised character with original ones. Ids depend on one
 * property of these alignments: which pieces begin at the start of the original text (Metaspace's
 * prepend_scheme "first"). So a text has an origin: the length in bytes of its prefix that is aligned
 * with the first original character.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_WRITER_H
#define TOKENIZER_TEXT_WRITER_H

#include <assay/status.h>

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text[0..n): valid UTF-8, borrowed; n_origin: the origin, in bytes; 0: not at the start of the
 * original. */
typedef struct tokenizer_text {
    const char *text;
    size_t n;
    size_t n_origin;
} tokenizer_text;

/* The part text[from..to) of a text, with its share of the origin. */
tokenizer_text tokenizer_text_part(const tokenizer_text *t, size_t from, size_t to);

/* Limits how much the steps of an untrusted tokenizer.json may grow a text, since a few steps can grow
 * it exponentially: to TOKENIZER_GROWTH times its bytes plus TOKENIZER_GROWTH_LEAST. Normal forms need
 * a factor of 11, the byte-level mapping a factor of 2. */
#define TOKENIZER_GROWTH       64
#define TOKENIZER_GROWTH_LEAST 65536

typedef struct tokenizer_growth {
    size_t n_text; /* bytes of the text */
    size_t left;   /* bytes that steps may still write */
} tokenizer_growth;

/* The limit for a text of n bytes. */
tokenizer_growth tokenizer_growth_begin(size_t n);

/* Subtracts n bytes written from the limit. */
void tokenizer_growth_count(tokenizer_growth *g, size_t n);

/* Returns ASSAY_EUNSUPPORTED: `what`, a member of tokenizer.json, exceeds the limit. */
assay_status tokenizer_growth_fail(const tokenizer_growth *g, const char *what, assay_error *err);

typedef struct tokenizer_writer {
    buffer *out;
    tokenizer_text old;
    size_t at; /* offset in old: characters before it are consumed */
    size_t n_origin;
    bool is_origin; /* everything written so far belongs to the origin */
    bool failed;    /* out of memory */
    size_t most;    /* maximum bytes in *out */
    bool too_long;  /* more than `most` bytes were to be written; the excess is dropped */
} tokenizer_writer;

/* Empties *out, which may then grow to at most `most` bytes. out is borrowed until the writer's last
 * use. */
tokenizer_writer tokenizer_writer_begin(buffer *out, const tokenizer_text *old, size_t most);

/* Writes a character. change, as in Hugging Face's tokenizers: 0: it replaces the next old character;
 * 1: it is added; -k: it replaces the next old character, and the k after that are removed. Sets failed
 * or too_long. */
void tokenizer_writer_put(tokenizer_writer *w, uint32_t codepoint, ptrdiff_t change);

/* Writes the next n bytes of the old text unchanged. */
void tokenizer_writer_copy(tokenizer_writer *w, const char *text, size_t n);

/* Consumes old characters up to offset `at` without writing. */
void tokenizer_writer_skip(tokenizer_writer *w, size_t at);

/* The text written, borrowed from *out. */
tokenizer_text tokenizer_writer_end(const tokenizer_writer *w);

#endif
