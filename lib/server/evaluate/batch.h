/* One step of the engine for any number of samples.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_BATCH_H
#define SERVER_EVALUATE_BATCH_H

#include "server/evaluate/seats.h"
#include "server/job/metrics.h"

/* The part of one sample in a step.
 * tokens: [n_tokens]; items: [n_items], those that begin within these tokens.
 * logits: [n_last, vocab] in the engine's type; n_last 0: none are wanted.
 * status, error: what came of it. After a failure the sample has the tokens that it had before. */
typedef struct server_turn {
    server_seat seat;
    const int32_t *tokens;
    size_t n_tokens;
    const assay_item *items;
    size_t n_items;
    void *logits;
    size_t n_last;
    assay_status status;
    assay_error error;
} server_turn;

/* Evaluates turns[0..n), each of another sample: those of one session in one step. If that step fails, each
 * of its samples is evaluated alone, so that none fails because of another. */
void server_batch_run(const server_model *model, server_metrics *metrics, server_turn *turns, size_t n);

#endif
