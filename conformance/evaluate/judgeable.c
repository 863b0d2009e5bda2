/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/judgeable.h"

#include "conformance/case/run_noise.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/kinds.h"

bool conf_evaluate_bounded(const conf_bounds *bounds, double max_abs, conf_compute compute, conf_verdict *v)
{
    if (!conf_compute_is_narrow(compute) || conf_bounds_refuse_zeros(bounds, max_abs)) return true;
    conf_verdict_set(
        v, CONF_SKIPPED,
        "the run in %s is a quarter of the largest logit or more away from the truth: within %.0f "
        "times that noise logits of zero would pass",
        conf_compute_run(compute), bounds->limit);
    return false;
}

static bool has_bounds(const conf_rows *rows, conf_compute compute, conf_verdict *v)
{
    const conf_bounds bounds = conf_run_bounds(rows, compute);
    return conf_evaluate_bounded(&bounds, conf_max_abs(rows->truth, rows->n_rows * rows->n_cols), compute, v);
}

bool conf_evaluate_judgeable(const conf_case *c, conf_compute compute, conf_verdict *v)
{
    bool narrow = conf_compute_is_narrow(compute);
    if (narrow && conf_kind_of(c->kind)->textual)
        conf_verdict_set(v, CONF_SKIPPED, "a textual case has no products to compute in %s",
                         conf_compute_run(compute));
    else if (narrow && (c->kind == CONF_ROPE || c->kind == CONF_POSITIONS))
        conf_verdict_set(v, CONF_SKIPPED, "a case of kind %s has no products to compute in %s",
                         conf_kind_of(c->kind)->name, conf_compute_run(compute));
    else if (narrow && !conf_run_find(&c->decoder.rows, compute))
        conf_verdict_set(v, CONF_SKIPPED, "no run in %s is recorded to judge it by",
                         conf_compute_run(compute));
    return v->outcome == CONF_PASSED && (!narrow || has_bounds(&c->decoder.rows, compute, v));
}
