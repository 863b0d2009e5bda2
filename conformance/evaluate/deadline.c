/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/deadline.h"

#include "conformance/support/clock.h"

/* Multiply-adds of one token for which the seconds of the limits are enough: 11,000 tokens in 60 s, at 1.1e10
 * multiply-adds per second, half of what ref64 does on a processor of 2023. */
#define MULTIPLIES_OF_LIMIT 6e7

double conf_evaluate_seconds(const conf_limits *limits, double multiplies)
{
    const double times = multiplies / MULTIPLIES_OF_LIMIT;
    return limits->fixed || times < 1 ? limits->seconds : limits->seconds * times;
}

void conf_evaluate_allow(conf_verdict *v, const conf_limits *limits)
{
    v->allowed = conf_evaluate_seconds(limits, v->checkpoint.multiplies);
    v->until = conf_clock() + v->allowed;
}
