/* Tensors that an engine gives while it evaluates.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_TRACE_H
#define CONFORMANCE_REPLAY_TRACE_H

#include "conformance/replay/state.h"

/* Whether an engine's tensor is of floating type and of the shape of `a`. */
bool conf_tensor_has_shape(const assay_tensor *tensor, const conf_array *a);

/* The tensors of the next prefill go to r->seen. */
void conf_trace_listen(conf_replay *r, assay_session *session);

#endif
