/* The verdict on positions: exact, without padding; and what a failure looks like.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_POSITIONS_H
#define CONFORMANCE_EVALUATE_POSITIONS_H

#include "conformance/evaluate/profile.h"
#include "conformance/replay/positions.h"

void conf_evaluate_positions(const conf_replay *r, const conf_positions_answer *answer);

/* Fills p: tensors are the axes and the deltas; rows are the tokens of the prompts, each with its largest
 * difference over the axes, infinite if it was not written. */
void conf_profile_positions(const conf_replay *r, const conf_positions_answer *answer, conf_profile *p);

#endif
