/* Evaluates a batch in a manner: round by round, each with one step of the session for all rows that take
 * one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_ROUNDS_H
#define CONFORMANCE_REPLAY_ROUNDS_H

#include "conformance/replay/state.h"
#include "conformance/replay/watch.h"

typedef struct conf_rounds conf_rounds;

/* Receives the logits [V] of a row of the batch after token `at` of its sample: of the prompt, or of what
 * follows it. */
typedef void conf_rounds_fn(conf_replay *r, const conf_batch_row *row, size_t at, const void *logits);

/* Plans the evaluation: the prompts and the forced tokens of the judged rows; as r->keeps_spans says. NULL,
 * with the verdict set, if out of memory. */
conf_rounds *conf_rounds_plan(conf_replay *r, conf_manner manner);
void conf_rounds_free(conf_rounds *rounds);

/* Writes the moves of a judged sample, as conf_moves_print does; "" if there is no such sample. */
void conf_rounds_print(const conf_rounds *rounds, size_t sample, char *text, size_t size);

/* How many tokens a stateless engine evaluates. */
size_t conf_rounds_cost(const conf_rounds *rounds);

/* Whether every prompt may come in several steps: none has items whose spans are unknown, and the ropes are
 * known. */
bool conf_rounds_are_divisible(const conf_rounds *rounds);

/* Whether keeping spans might change the evaluation. */
bool conf_rounds_divide_spans(const conf_rounds *rounds);

/* Whether an engine is asked for anything that it is not asked for in CONF_MANNER_WHOLE. */
bool conf_rounds_differ(const conf_rounds *rounds);

/* Evaluates the batch in a session of its own, or in CONF_MANNER_APART each row in one, the last row first.
 * Of each step those rows are wanted that the case has recorded, and at least the last one of a prompt; got
 * receives them. keep: NULL, or becomes the session, whose sample i is then row i; not in manners with join
 * or fork, or CONF_MANNER_APART; the caller frees it. False, with the verdict set, if a call failed. */
bool conf_rounds_run(conf_rounds *rounds, conf_rounds_fn *got, conf_watch **keep);

/* The index in the case's rows of the logits after token `at` of a row's sample; SIZE_MAX if they are not
 * recorded. */
size_t conf_rounds_row(const conf_replay *r, const conf_batch_row *row, size_t at);

#endif
