/* Replays cases of kind logits and generate through an engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_REPLAY_H
#define CONFORMANCE_REPLAY_REPLAY_H

#include "conformance/replay/state.h"

/* Number of greedy steps of sample b: the length of the expected stream (stored in *n_golden), plus one
 * if the stream ends with a stop id that the case does not record. */
size_t conf_greedy_steps(const conf_replay *r, size_t b, size_t *n_golden);

/* Replays a case: a traced prefill in a session of its own; then, in one session, prefill and forced
 * decode, greedy generation with the expected token forced after each step, and prefill_last if the
 * engine has it. False if the replay ended early and the verdict was set. conf_replay_free must be
 * called in any case. */
bool conf_replay_decoder(conf_replay *r);
void conf_replay_free(conf_replay *r);

#endif
