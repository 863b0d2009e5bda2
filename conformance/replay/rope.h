/* Replaying cases of kind rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_ROPE_H
#define CONFORMANCE_REPLAY_ROPE_H

#include "conformance/replay/state.h"

/* The results of an engine's rope as double. out: shape of the case's x; cos, sin: [n_positions,
 * dim]. */
typedef struct conf_rope_answer {
    double *out, *cos, *sin;
    size_t dim;
} conf_rope_answer;

/* Calls the engine's rope with the inputs of the case. False if the verdict was set: CONF_SKIPPED if
 * the engine has no rope. conf_rope_answer_free frees *out. */
bool conf_replay_rope(conf_replay *r, conf_rope_answer *out);
void conf_rope_answer_free(conf_rope_answer *a);

#endif
