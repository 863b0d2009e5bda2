/* A session of a bundled model, and samples of it, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_SESSIONS_H
#define FASTPATH_TESTS_SESSIONS_H

#include "fastpath/session/session.h"

/* Models with a window, with positions that scale with the length (within the length of a text), with shared
 * caches, with experts, and with delta nets. */
enum { N_MODELS = 7, LENGTH = 75 };
extern const char *const MODELS[N_MODELS];

/* Set by sessions_open. */
extern fp_model *model;
extern fp_session *session;
extern size_t vocab;

extern assay_error err;
extern assay_dtype compute; /* for sessions_open; ASSAY_DTYPE_NONE: the engine's choice */

/* Opens a bundled model ("qwen3/window") and a session of it. */
void sessions_open(const char *name);
void sessions_close(void);

/* Text number `text`, 0 … 3, [LENGTH]. */
const int32_t *sessions_text(size_t text);

size_t sessions_join(void);

/* Evaluates n tokens. Returns the last logits, [vocab], which live until the next call. */
const float *sessions_take(size_t slot, const int32_t *tokens, size_t n);

/* The last logits of a text's first n tokens, evaluated in a new sample; the caller frees them. */
float *sessions_fresh(size_t text, size_t n);

/* Expects logits to be bit-identical to those of a new sample with the first n tokens of the text. */
void sessions_expect_fresh(const float *logits, size_t text, size_t n);

/* Evaluates tokens from … end - 1 of the text, and expects the last logits to be those of a new sample. */
void sessions_compare(size_t slot, size_t text, size_t from, size_t end);

#endif
