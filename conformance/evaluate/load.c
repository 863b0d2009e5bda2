/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/load.h"

#include <stdio.h>

#include "base/shown.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/kernels.h"
#include "conformance/support/machine.h"

const assay_engine *conf_evaluate_load(const char *engine, conf_compute compute, conf_verdict *v)
{
    const assay_engine *e;
    assay_error err = {0};
    v->stage = CONF_STAGE_LOAD;
    if (conf_engine_open(engine, &e, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return NULL;
    }
    (void)snprintf(v->version, sizeof v->version, "%s %s", e->name, e->version);
    shown_clean(v->version, sizeof v->version);
    conf_machine_blas(engine, v->blas, sizeof v->blas);
    v->compute = compute;
    v->float64 = compute == CONF_COMPUTE_NONE && e->logits_dtype == ASSAY_F64;
    return e;
}

bool conf_evaluate_kernels(const char *library, const assay_kernels **out, conf_verdict *v)
{
    assay_error err = {0};
    if (library && conf_kernels_open(library, out, &err) != ASSAY_OK)
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
    return v->outcome == CONF_PASSED;
}
