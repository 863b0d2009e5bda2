/* Session calls with the arranged batch of a replay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_SESSION_H
#define CONFORMANCE_REPLAY_SESSION_H

#include "conformance/replay/state.h"

/* Fills a [n], of the engine's logits type, with NaN. */
void conf_nan_refill(const assay_engine *e, void *a, size_t n);

/* The type of assay_engine.prefill and prefill_last. */
typedef assay_status conf_prefill_fn(assay_session *session, const assay_batch *batch, void *logits,
                                     assay_error *err);

/* Sets the verdict for a failed call, and returns false. ASSAY_EUNSUPPORTED from an open function or from the
 * first evaluation skips the case; any other failure diverges. */
bool conf_replay_refused(conf_replay *r, assay_status rc, assay_error *err);

/* Sets the verdict to out-of-memory of the harness, and returns false. */
bool conf_replay_no_memory(conf_replay *r);

/* Allocates n numbers of the engine's logits type, filled with NaN; NULL if out of memory. */
void *conf_nan_alloc(const assay_engine *e, size_t n);

/* Calls fn with the arranged batch. logits: [rows of the batch, T, V], or [rows of the batch, V] for
 * prefill_last. False if the call failed and the verdict was set. */
bool conf_replay_prefill(conf_replay *r, assay_session *session, conf_prefill_fn *fn, void *logits);

/* Fills step [rows of the batch, V] with NaN and calls decode. tokens: one for each row of the batch.
 * False if the call failed and the verdict was set. */
bool conf_replay_step(conf_replay *r, assay_session *session, const int32_t *tokens, void *step);

/* Sets tokens [rows of the batch] to the n-th forced token of each sample, -1 for batch neighbours. */
void conf_replay_force(const conf_replay *r, size_t n, int32_t *tokens);

/* Copies row `row` of the engine's logits [., V] to `into` [V], as double. */
void conf_replay_row(const conf_replay *r, double *into, const void *logits, size_t row);

#endif
