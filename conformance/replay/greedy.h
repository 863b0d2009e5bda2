/* Greedy generation, with the expected token forced after each step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_GREEDY_H
#define CONFORMANCE_REPLAY_GREEDY_H

#include "conformance/replay/state.h"
#include "conformance/replay/watch.h"

/* Number of greedy steps of sample b: the length of the expected stream (stored in *n_golden), plus one
 * if the stream ends with a stop id that the case does not record. */
size_t conf_greedy_steps(const conf_replay *r, size_t b, size_t *n_golden);

/* Sets r->stop_ids from the engine's model_stop_ids or, without it, from the checkpoint's documents. False,
 * with the verdict set, if they cannot be read. */
bool conf_greedy_read_stops(conf_replay *r);

/* Evaluates the prompts, into r->again, and the greedy steps, into r->greedy. used: NULL, or a session in
 * which row i of the batch is sample i, with tokens: it is freed, but its samples are rewound first, or leave
 * and join again, and evaluate the prompts, if the engine can do that; otherwise a new session does. False,
 * with the verdict set, if a call failed. */
bool conf_greedy_replay(conf_replay *r, conf_watch *used);

#endif
