/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/verdicts.h"

#include "conformance/evaluate/evaluate.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/support.h"

static void run_task(const void *context, conf_verdict *v)
{
    conf_evaluate(context, v);
}

conf_verdict verdict_of_assignment(const conf_assignment *assignment)
{
    conf_assignment limited = *assignment;
    limited.limits = (conf_limits){.seconds = 60, .mib = conf_mib_default()};
    conf_verdict v;
    assay_error err = {0};
    ck_assert_int_eq(conf_isolate(run_task, &limited, &limited.limits, &v, &err), ASSAY_OK);
    return v;
}

conf_verdict verdict_in_manner(const char *path, const char *engine, const char *manner, const uint64_t *seed)
{
    const conf_assignment assignment = {.engine = engine, .path = path, .manner = manner, .seed = seed};
    return verdict_of_assignment(&assignment);
}

void assert_verdict(const conf_verdict *v, conf_outcome outcome, const char *reason)
{
    ck_assert_msg(v->outcome == outcome, "outcome %d: %s", (int)v->outcome, v->reason);
    assert_holds(v->reason, reason);
}
