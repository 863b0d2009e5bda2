/* The verdict on cases of kind rope, and what a failure looks like.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_ROPE_H
#define CONFORMANCE_EVALUATE_ROPE_H

#include "conformance/evaluate/profile.h"
#include "conformance/replay/rope.h"
#include "conformance/replay/state.h"

/* Judges the rotated vectors and the tables of factors: each row by a bound of its own (judge/tensor.h). */
void conf_evaluate_rope(const conf_replay *r, const conf_rope_answer *answer);

/* Fills p: tensors are the heads of x and the two tables; rows are those of the case, with their positions.
 */
void conf_profile_rope(const conf_replay *r, const conf_rope_answer *answer, conf_profile *p);

#endif
