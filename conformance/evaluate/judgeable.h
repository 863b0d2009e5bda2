/* Whether a case has a recorded run that a candidate can be judged by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_JUDGEABLE_H
#define CONFORMANCE_EVALUATE_JUDGEABLE_H

#include "conformance/case/case.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/verdict.h"

/* Whether the case has a recorded run to judge a candidate of this type by, with a usable bound; if not, sets
 * the verdict to CONF_SKIPPED. */
bool conf_evaluate_judgeable(const conf_case *c, conf_compute compute, conf_verdict *v);

/* Whether bounds made of the run in this type would refuse logits of zero; if not, sets the verdict to
 * CONF_SKIPPED. max_abs: the largest |truth|. */
bool conf_evaluate_bounded(const conf_bounds *bounds, double max_abs, conf_compute compute, conf_verdict *v);

#endif
