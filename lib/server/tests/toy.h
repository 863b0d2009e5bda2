/* An engine for tests of the scheduler: its logits are a hash of the tokens of the sample. It counts what it
 * is asked for, and can be made to wait, to fail and to refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_TESTS_TOY_H
#define SERVER_TESTS_TOY_H

#include <assay/engine.h>

#include <stdbool.h>

#define TOY_VOCAB 300
#define TOY_FAILS 13 /* a step with this token fails with ASSAY_EINTERNAL */
#define TOY_STOP  5

/* The engine with join, leave and fork; without fork; without the three. */
extern const assay_engine toy_engine, toy_engine_without_fork, toy_engine_alone;

/* What the engine has seen since toy_reset. n_samples: present now, in all sessions. longest_step: the most
 * tokens of a sample in one step. */
typedef struct toy_counts {
    size_t n_steps, n_tokens, n_samples, n_forked, most_samples, longest_step;
} toy_counts;

toy_counts toy_count(void);

/* refuses_division: a step that continues a sample with more than one token is refused. */
void toy_reset(bool refuses_division);

/* Steps wait until they may run: toy_hold; toy_allow(n) lets n more run; toy_run lets all run. */
void toy_hold(void);
void toy_allow(size_t n);
void toy_run(void);

/* All later steps fail with ASSAY_EINTERNAL, until toy_reset. */
void toy_break(void);

/* Waits until a step waits, at most 30 seconds. */
bool toy_wait_held(void);

#endif
