/* Replaying cases of kind positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_POSITIONS_H
#define CONFORMANCE_REPLAY_POSITIONS_H

#include "conformance/replay/state.h"

/* A position or delta that the engine did not write. */
#define CONF_POSITION_UNWRITTEN INT32_MIN

/* The engine's answers. position: [n_axes, B, T], like the case's; padding is CONF_POSITION_UNWRITTEN.
 * delta: [B]. */
typedef struct conf_positions_answer {
    int32_t *position, *delta;
} conf_positions_answer;

/* Asks the engine for the positions of each prompt of the case, with its items and without padding. False if
 * the verdict was set: CONF_SKIPPED if the engine gives no positions, or refuses the items.
 * conf_positions_answer_free frees *out. */
bool conf_replay_positions(conf_replay *r, conf_positions_answer *out);
void conf_positions_answer_free(conf_positions_answer *a);

#endif
