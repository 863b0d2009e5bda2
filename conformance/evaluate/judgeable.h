/* Whether a case has what a candidate is judged by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_JUDGEABLE_H
#define CONFORMANCE_EVALUATE_JUDGEABLE_H

#include "conformance/case/case.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/verdict.h"

/* The same of the bounds that are made of its run in this type. max_abs: the largest |truth|. */
bool conf_evaluate_bounded(const conf_bounds *bounds, double max_abs, assay_dtype compute, conf_verdict *v);

/* Whether the case has what a candidate of this type is judged by; if not the verdict is CONF_SKIPPED. */
bool conf_evaluate_judgeable(const conf_case *c, assay_dtype compute, conf_verdict *v);

#endif
