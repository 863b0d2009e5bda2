/* Drives an engine through a case of kind logits or generate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_REPLAY_H
#define CONFORMANCE_REPLAY_REPLAY_H

#include "conformance/replay/state.h"

/* Number of greedy steps of sample b: those of the expected stream, and one more if it ends with a stop id
 * that the fixture omits. *n_golden: the length of the stream. */
size_t conf_greedy_steps(const conf_replay *r, size_t b, size_t *n_golden);

/* Replays a case of kind logits or generate: prefill, forced decode, then greedy generation in the same
 * session with the expected token forced after each step, then prefill_last where the engine has it. False
 * if the verdict was set because the replay ended early. */
bool conf_replay_decoder(conf_replay *r);
void conf_replay_free(conf_replay *r);

#endif
