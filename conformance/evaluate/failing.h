/* The first wrong tensor of the samples and steps whose logits are out of bounds. A case records the tensors
 * of sample 0's prompt alone; those of other samples and steps are compared with what the reference computes
 * (reference.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_FAILING_H
#define CONFORMANCE_EVALUATE_FAILING_H

#include "conformance/judge/noise.h"
#include "conformance/replay/state.h"

/* After an evaluation in the manner whose logits or greedy tokens are out of bounds: evaluates it again with
 * a tap for each sample that fails, and compares the tensors of its tokens up to the first that fails.
 * reference: the path of the engine to compare with; an engine in float64 with a tap.
 * text: [CONF_TEXT_MAX], becomes the first wrong tensor of each such sample, or why there is none; empty if
 * no sample fails. Returns whether a tensor is wrong; the first such tensor becomes r->verdict->tensor. The
 * verdict stays as it is otherwise; r->rows and r->wanted become those of the evaluation with a tap. */
bool conf_evaluate_failing(const conf_replay *r, const conf_bounds *bounds, conf_manner manner,
                           const char *reference, char *text);

#endif
