/* Collects the intermediate tensors that an engine traces.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_TRACE_H
#define CONFORMANCE_REPLAY_TRACE_H

#include "conformance/replay/state.h"
#include "conformance/replay/watch.h"

/* Whether a tensor is of floating type and has the shape of `a`. */
bool conf_tensor_has_shape(const assay_tensor *tensor, const conf_array *a);

/* Evaluates the prompts of the batch with a tap: tensors are stored in r->seen, which the caller has
 * allocated with one element for each trace of the case; none if the engine refuses a traced step with
 * ASSAY_EUNSUPPORTED, as the notes of the verdict say. False, with the verdict set, if a call failed. */
bool conf_trace_prompts(conf_replay *r, conf_watch *watch);

#endif
