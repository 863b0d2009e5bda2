/* Both reference engines through their ABI, with a model and a session, for tests. The modules are found
 * below $top_builddir, the checkpoint below $top_srcdir.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TESTS_ENGINES_H
#define REF_TESTS_ENGINES_H

#include <assay/engine.h>

#include <stdbool.h>

enum { N_ENGINES = 2, N_SAMPLES = 2, N_TOKENS = 6 };

/* Names of the modules. */
extern const char *const ENGINES[N_ENGINES];

/* Set by engines_open. */
extern const assay_engine *engine;
extern assay_model *model;
extern assay_session *session; /* with N_SAMPLES samples */
extern size_t vocab;

extern assay_error err;

/* Two texts, [N_TOKENS]. */
extern const int32_t TEXT[N_TOKENS], OTHER[N_TOKENS];

/* Opens engine `number` and a model, "llama/base" or a given one ("gemma4/experts"). */
void engines_open(int number);
void engines_open_model(int number, const char *name);
void engines_close(void);

size_t engines_row_bytes(void);

/* n_rows rows of logits, all NaN; the caller frees them. */
char *engines_blank(size_t n_rows);

/* Logit i of rows of the engine's type. */
double engines_logit(const char *logits, size_t i);

/* Expects the same logits within rounding: some cores of OpenBLAS sum a row in another order if the product
 * has more rows. a, b: [n_rows, vocab]. */
void engines_expect_alike(const char *a, const char *b, size_t n_rows);

/* A step of one sample. logits: [n_last, vocab]; n_last 0: none are wanted. */
assay_status engines_step(assay_session *s, size_t sample, const int32_t *tokens, size_t n, size_t n_last,
                          char *logits);

/* Expects the step to succeed. Returns its last row of logits; the caller frees it. */
char *engines_last(assay_session *s, size_t sample, const int32_t *tokens, size_t n);

/* Expects that the next token gives a sample the same logits, bit by bit, as a new sample of a new session
 * with tokens [n] before it. The sample is as before afterwards. */
void engines_expect_tokens(assay_session *s, size_t sample, const int32_t *tokens, size_t n);

#endif
