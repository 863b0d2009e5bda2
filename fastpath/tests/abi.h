/* The engine module, a model and a session, through the engine ABI, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_ABI_H
#define FASTPATH_TESTS_ABI_H

#include <assay/engine.h>

/* Set by the functions below. */
extern const assay_engine *engine;
extern assay_model *model;
extern assay_session *session;
extern size_t vocab;
extern assay_error err;

/* Loads the module and opens a bundled model ("qwen3/window"). Returns what model_open returns. */
assay_status abi_open_model(const char *name, const assay_model_options *options);

/* Opens a bundled model, and a session of it with n_samples samples. */
void abi_open(const char *name, size_t n_samples);
void abi_close(void);

/* Another session of the model; to be freed with engine->session_free. */
assay_session *abi_open_session(size_t n_samples, size_t limit, size_t sink_tokens);

/* [n], every byte 0xff, so that an element that was not written is NaN; to be freed. */
float *abi_blank(size_t n);

/* Text number `text`, 0 … 3: [ABI_LENGTH]. */
enum { ABI_LENGTH = 75 };
const int32_t *abi_text(size_t text);

/* One step of one sample of `session`, with the logits of its last n_last tokens: [n_last, vocab]; n_last 0:
 * none. */
assay_status abi_step(size_t sample, const int32_t *tokens, size_t n_tokens, float *logits, size_t n_last);

/* The logits of all tokens of a text, evaluated in one step by a session of their own: [ABI_LENGTH, vocab],
 * to be freed. */
float *abi_whole(size_t text);

/* Evaluates tokens from … end - 1 of a text, and expects their logits to be those rows of `whole`. */
void abi_expect(size_t sample, size_t text, size_t from, size_t end, const float *whole);

#endif
