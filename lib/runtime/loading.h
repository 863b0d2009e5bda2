/* Opens a model on a worker thread while other threads wait for it.
 *
 * A worker does one load and then ends. Its thread-local state is lost then: an engine must complete
 * everything that depends on that thread before model_open returns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_LOADING_H
#define RUNTIME_LOADING_H

#include <assay/engine.h>

/* One model, being loaded or loaded. Owns the model. */
typedef struct loading loading;

/* Starts a worker that opens the checkpoint `dir` with the engine. engine: borrowed until loading_free; dir
 * is copied. options: as for model_open; copied, their kernels borrowed while the model is open, and
 * allow_unknown until loading_free. Fails as assay_options_read does, and with ASSAY_EINTERNAL if no thread
 * can be created. Failures on the worker are reported by loading_wait, not here.
 */
assay_status loading_start(const assay_engine *engine, const char *dir, const assay_model_options *options,
                           loading **out, assay_error *err);

/* Waits until the model is open, at most `seconds` (0: does not wait; INFINITY: no timeout). Any number of
 * threads may wait. *out is borrowed, the same for all callers, and lives until loading_free. Fails with the
 * status and the text of the load that was under way, or had ended, when the call began; every caller gets
 * the same. ASSAY_ETIMEDOUT: "model DIR: not ready after 0.5 s"; the load continues, and can be waited for
 * again. */
assay_status loading_wait(loading *l, double seconds, assay_model **out, assay_error *err);

/* Starts another load after a failed one; later calls of loading_wait wait for the new load. ASSAY_EINVAL if
 * the last load has not failed: it is under way or has succeeded. */
assay_status loading_retry(loading *l, assay_error *err);

/* Waits for the worker, and frees the model, if there is one, on the calling thread. No other thread may be
 * waiting, and all sessions of the model must have been freed. */
void loading_free(loading *l);

#endif
