/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/change.h"

#include "conformance/judge/noise.h"

/* Multiples of another unit have another scale. */
static conf_change compare_errors(const conf_verdict *before, const conf_verdict *after)
{
    if (!before->measured || !after->measured || before->float64 != after->float64) return CONF_CHANGE_NONE;
    const double least = CONF_DRIFT_SHARE * conf_noise_limit(after->float64);
    const double old = before->multiple, new = after->multiple;
    if (new >= CONF_DRIFT_FACTOR * old &&new - old >= least) return CONF_CHANGE_DRIFTS;
    return old >= CONF_DRIFT_FACTOR * new &&old - new >= least ? CONF_CHANGE_NEARS : CONF_CHANGE_NONE;
}

static bool fails(const conf_verdict *v)
{
    return conf_outcome_fails(v->outcome) && v->class != CONF_CLASS_FIXED;
}

conf_change conf_change_of(const conf_verdict *before, const conf_verdict *after)
{
    if (!after) return CONF_CHANGE_GONE;
    if (after->outcome == CONF_EXPECTED) return CONF_CHANGE_EXPECTED;
    const bool failed = before && (fails(before) || before->outcome == CONF_EXPECTED);
    if (fails(after)) return failed ? CONF_CHANGE_STILL : CONF_CHANGE_FAILS;
    if (!before) return CONF_CHANGE_NEW;
    if (after->outcome == CONF_SKIPPED)
        return before->outcome == CONF_SKIPPED ? CONF_CHANGE_NONE : CONF_CHANGE_STOPPED;
    if (before->outcome == CONF_SKIPPED) return CONF_CHANGE_STARTED;
    return failed ? CONF_CHANGE_PASSES : compare_errors(before, after);
}

const char *conf_change_name(conf_change change)
{
    static const char *const names[CONF_N_CHANGES] = {[CONF_CHANGE_FAILS] = "newly failing",
                                                      [CONF_CHANGE_STILL] = "still failing",
                                                      [CONF_CHANGE_EXPECTED] = "expected to fail",
                                                      [CONF_CHANGE_PASSES] = "newly passing",
                                                      [CONF_CHANGE_STOPPED] = "no longer run",
                                                      [CONF_CHANGE_STARTED] = "newly run",
                                                      [CONF_CHANGE_DRIFTS] = "larger error",
                                                      [CONF_CHANGE_NEARS] = "smaller error",
                                                      [CONF_CHANGE_GONE] = "only before",
                                                      [CONF_CHANGE_NEW] = "only after",
                                                      [CONF_CHANGE_NONE] = "unchanged"};
    return names[change];
}
