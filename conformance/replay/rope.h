/* Replaying cases of kind rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_ROPE_H
#define CONFORMANCE_REPLAY_ROPE_H

#include "conformance/replay/state.h"

/* What an engine's rope answers, as F64: out like the case's x, cos and sin [n_positions, dim]. */
typedef struct conf_rope_answer {
    double *out, *cos, *sin;
    size_t dim;
} conf_rope_answer;

bool conf_replay_rope(conf_replay *r, conf_rope_answer *out);
void conf_rope_answer_free(conf_rope_answer *a);

#endif
