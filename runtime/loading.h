/* A model that is opened on a worker thread, while others wait for it.
 *
 * The worker is there for one load and ends with it; what the model still needs of its thread is lost then,
 * and an engine has to have done it before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_LOADING_H
#define RUNTIME_LOADING_H

#include <assay/engine.h>

/* One model, on its way or there. It owns the model. */
typedef struct loading loading;

/* Starts a worker that opens the checkpoint `dir` with the engine. engine: borrowed until loading_free; dir
 * is copied. options: NULL for model_open; otherwise copied, their kernels borrowed as model_open_with
 * says, and allow_unknown until loading_free; ASSAY_EUNSUPPORTED where the engine has no model_open_with.
 * ASSAY_EINTERNAL where the system gives no thread. What goes wrong on the worker is not reported here, but
 * to those who wait. */
assay_status loading_start(const assay_engine *engine, const char *dir, const assay_model_options *options,
                           loading **out, assay_error *err);

/* Waits until the model is open, with a timeout of `seconds` (0: does not wait; INFINITY: no timeout). Any
 * number of threads may wait. *out is borrowed, the same for all callers, and lives until loading_free. If
 * the load that was current when the call began has failed, every call fails with its status and text.
 * ASSAY_ETIMEDOUT: "model DIR: not ready after 0.5 s"; the load continues and can be waited for again. */
assay_status loading_wait(loading *l, double seconds, assay_model **out, assay_error *err);

/* Starts another load after a failed one; later calls of loading_wait wait for it. ASSAY_EINVAL if the load
 * is under way or has succeeded. */
assay_status loading_retry(loading *l, assay_error *err);

/* Waits for the worker, and frees the model, if there is one, on the calling thread. No other thread may be
 * waiting, and no session of the model be left. */
void loading_free(loading *l);

#endif
