/* Calls of a session, in the arrangement of the batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_SESSION_H
#define CONFORMANCE_REPLAY_SESSION_H

#include "conformance/replay/state.h"

/* Fills n numbers of the engine's type with NaN. */
void conf_nan_refill(const assay_engine *e, void *a, size_t n);

/* A member of the ABI's table: prefill or prefill_last. */
typedef assay_status conf_prefill_fn(assay_session *session, const assay_batch *batch, void *logits,
                                     assay_error *err);

/* Sets the verdict for a failed call, and returns false. ASSAY_EUNSUPPORTED from an open function or from the
 * first evaluation skips the case; any other failure diverges. */
bool conf_replay_refused(conf_replay *r, assay_status rc, assay_error *err);

/* Sets the verdict to out-of-memory of the harness, and returns false. */
bool conf_replay_no_memory(conf_replay *r);

/* Allocates n numbers of the engine's type, filled with NaN; NULL if out of memory. */
void *conf_nan_alloc(const assay_engine *e, size_t n);

/* Call fn with the arranged batch, and decode; false if the verdict was set because the call failed. tokens:
 * one for each row of the batch. step: [rows of the batch, V], filled with NaN beforehand. */
bool conf_replay_prefill(conf_replay *r, assay_session *session, conf_prefill_fn *fn, void *logits);

bool conf_replay_step(conf_replay *r, assay_session *session, const int32_t *tokens, void *step);

/* Writes the n-th forced token of every sample to tokens: one for each row of the batch. */
void conf_replay_force(const conf_replay *r, size_t n, int32_t *tokens);

/* Row `row` of the engine's logits [., V], as double. */
void conf_replay_row(const conf_replay *r, double *into, const void *logits, size_t row);

#endif
