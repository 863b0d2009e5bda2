/* Collects the intermediate tensors that an engine traces.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_TRACE_H
#define CONFORMANCE_REPLAY_TRACE_H

#include "conformance/replay/state.h"

/* Whether a tensor is of floating type and has the shape of `a`. */
bool conf_tensor_has_shape(const assay_tensor *tensor, const conf_array *a);

/* Sets the trace function of a session: tensors of the next prefill are stored in r->seen, which the
 * caller has allocated with one element for each trace of the case. Does nothing if the engine has no
 * session_trace. */
void conf_trace_enable(conf_replay *r, assay_session *session);

#endif
