/* The samples of a program's sessions: which tokens each has. They follow from the program and the case
 * alone, not from the engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_SAMPLES_H
#define CONFORMANCE_SCHEDULE_SAMPLES_H

#include "conformance/case/items.h"
#include "conformance/schedule/schedule.h"

/* prompt:   the sample of the case whose tokens it gets.
 * n_tokens: how many it has.
 * n_forks:  how often it was copied: its origin, the origin of its origin, … */
typedef struct conf_schedule_sample {
    size_t prompt, n_tokens, n_forks;
} conf_schedule_sample;

/* Samples of sessions by their numbers; those that a session does not have are unspecified. */
typedef struct conf_schedule_samples {
    conf_schedule_sample of[CONF_SCHEDULE_SESSIONS_MAX][CONF_SCHEDULE_SAMPLES_MAX];
} conf_schedule_samples;

/* Updates the samples for step i; steps that use the same session must be applied in their order. Steps of
 * different sessions may be applied concurrently. items, here and below: those of the case. */
void conf_schedule_samples_apply(conf_schedule_samples *samples, const conf_schedule *s, const conf_case *c,
                                 const conf_items *items, size_t i);

/* How many tokens a sample gets in a step. A prompt with items comes in one step if their spans are
 * unknown, or are not divided. */
size_t conf_schedule_sample_next(const conf_schedule_sample *sample, const conf_step *step,
                                 const conf_case *c, const conf_items *items);

/* How many tokens a sample keeps in a rewind: all if it has fewer; none instead of a part of a prompt that
 * comes in one step. */
size_t conf_schedule_sample_kept(const conf_schedule_sample *sample, const conf_step *step,
                                 const conf_case *c, const conf_items *items);

/* The token at a position of the sample's sequence: of its prompt, then of the forced continuation, then of
 * the greedy one, then of the prompt, repeated. A copy takes that of the next position, so that it differs
 * from its origin; where the prompt has items, only after the prompt. In a case with items a token that could
 * be a placeholder, since it occurs in a prompt with items, is replaced after the prompt. */
int32_t conf_schedule_sample_token(const conf_schedule_sample *sample, size_t position, const conf_case *c,
                                   const conf_items *items);

/* Number of rows of logits that step i gives, sample by sample. samples: before the step. */
size_t conf_schedule_samples_rows(const conf_schedule_samples *samples, const conf_schedule *s,
                                  const conf_case *c, const conf_items *items, size_t i);

/* Index of each step's first row: [s->n_steps + 1]; the last is the number of all rows. */
void conf_schedule_rows(const conf_schedule *s, const conf_case *c, const conf_items *items, size_t *first);

#endif
