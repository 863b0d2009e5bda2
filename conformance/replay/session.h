/* What replays share: refusals, and buffers filled with NaN.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_SESSION_H
#define CONFORMANCE_REPLAY_SESSION_H

#include "conformance/abi/step.h"
#include "conformance/replay/state.h"

/* Sets the verdict for a failed call, and returns false. ASSAY_EUNSUPPORTED skips the case, or the manner;
 * any other failure diverges. */
bool conf_replay_refused(conf_replay *r, assay_status rc, assay_error *err);

/* Sets the verdict to out-of-memory of the harness, and returns false. */
bool conf_replay_no_memory(conf_replay *r);

/* Allocates n numbers of the engine's logits type, filled with NaN; NULL if out of memory. */
void *conf_nan_alloc(const assay_engine *e, size_t n);

/* The step of row i of the batch, as sample `sample`, with its whole prompt and its items; n_last: rows that
 * are wanted. */
conf_sample_step conf_replay_prompt(const conf_replay *r, size_t i, size_t sample, size_t n_last);

/* The most tokens that a sample of the replay has at any time: a prompt, and what is forced after it. */
size_t conf_replay_max_tokens(const conf_replay *r);

/* Copies row `row` of the engine's logits [., V] to `into` [V], as double. */
void conf_replay_row(const conf_replay *r, double *into, const void *logits, size_t row);

#endif
