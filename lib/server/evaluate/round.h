/* One round of evaluation: a step for the samples that run, and what follows from its logits.
 *
 * Used by the evaluating thread alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_ROUND_H
#define SERVER_EVALUATE_ROUND_H

#include "server/evaluate/task.h"

#define SERVER_CHUNK ((size_t)512) /* tokens of prompts in a step, but for items that are longer */

/* Buffers that are used again in every round. An all-zero struct is one without buffers. */
typedef struct server_round {
    struct server_turn *turns; /* [capacity] */
    size_t *run_of;            /* [capacity], the index of each turn's run */
    size_t n_turns, capacity;
    char *logits; /* [logit_bytes] */
    size_t logit_bytes;
} server_round;

void server_round_free(server_round *r);

/* Evaluates the next token of each run that generates, and up to SERVER_CHUNK tokens of prompts: those of the
 * first runs first; a prompt takes at most half of what is left while another one waits. Runs whose client is
 * slow rest. runs: [n], ordered by age, each with a seat. Returns whether any run took a step. Failures end
 * the tasks of the runs that they concern. */
bool server_round_run(server_round *r, const server_worker *w, server_run *runs, size_t n);

#endif
