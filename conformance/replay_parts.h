/* What the replays of all kinds share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_PARTS_H
#define CONFORMANCE_REPLAY_PARTS_H

#include "conformance/replay.h"

/* Sets the verdict for a call that failed, and returns false: an engine that says EUNSUPPORTED when it is
 * opened or first asked cannot run the case, any other failure diverges. */
bool conf_replay_refused(conf_replay *r, assay_status rc, assay_error *err);

/* Sets the verdict to a fault of the harness, and returns false. */
bool conf_replay_no_memory(conf_replay *r);

/* Memory for n numbers of the engine's type, every one NaN; NULL if there is none. */
void *conf_nan_alloc(const assay_engine *e, size_t n);

/* Whether an engine's tensor is of floating type and of the shape of `a`. */
bool conf_tensor_has_shape(const assay_tensor *tensor, const conf_array *a);

/* The tensors of the next prefill go to r->seen. */
void conf_trace_listen(conf_replay *r, assay_session *session);

#endif
