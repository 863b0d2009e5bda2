/* How long the replay of a case may take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_DEADLINE_H
#define CONFORMANCE_EVALUATE_DEADLINE_H

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"

/* The seconds of the limits; more, unless the user has chosen them, for a model whose tokens take
 * `multiplies` multiply-adds each: a stateless engine on one thread evaluates the most tokens of a manner
 * (replay.h) in this time. */
double conf_evaluate_seconds(const conf_limits *limits, double multiplies);

/* Starts the time of a replay of a case whose checkpoint has been checked. */
void conf_evaluate_allow(conf_verdict *v, const conf_limits *limits);

#endif
