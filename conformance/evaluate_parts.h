/* The verdict on each part of an answer; for evaluate.c. A part that diverges sets the verdict unless an
 * earlier part has, and then notes itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_PARTS_H
#define CONFORMANCE_EVALUATE_PARTS_H

#include "conformance/judge.h"
#include "conformance/replay.h"

/* Digits that tell two numbers of the engine's type apart. */
#define CONF_DIGITS(v) ((v)->float64 ? 17 : 9)

/* What the case allows this engine: by its noise, or by its float64 bound. All zero where no truth is
 * recorded. */
conf_bounds conf_evaluate_bounds(const conf_replay *r);

void conf_evaluate_logits(const conf_replay *r, const conf_bounds *bounds);
void conf_evaluate_tokens(const conf_replay *r, const conf_bounds *bounds);
void conf_evaluate_traces(const conf_replay *r);
void conf_evaluate_rope(const conf_replay *r, const conf_rope_answer *answer);

/* Sets CONF_FAILED with its class and reason; where another part has failed before, whose class stays, notes
 * the reason instead. Returns whether it was set. */
bool conf_evaluate_fail(conf_verdict *v, conf_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
