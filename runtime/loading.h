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

/* Waits until the model is open, at most `seconds` (0: only asks; INFINITY: as long as it takes), on any
 * thread, in any number. *out is borrowed, and the same for all; it lives until loading_free. Fails as the
 * load that was under way, or had ended, when the call began: with its status and its text, whoever asks and
 * whenever. ASSAY_ETIMEDOUT: "model DIR: not ready after 0.5 s"; the load goes on, and can be waited for
 * again. */
assay_status loading_wait(loading *l, double seconds, assay_model **out, assay_error *err);

/* Starts another load after one that has failed: those who wait from now on wait for this one. ASSAY_EINVAL
 * where none has failed: it is under way, or has been done. */
assay_status loading_retry(loading *l, assay_error *err);

/* Waits for the worker, and frees the model, if there is one, on the calling thread. No other thread may be
 * waiting, and no session of the model be left. */
void loading_free(loading *l);

#endif
