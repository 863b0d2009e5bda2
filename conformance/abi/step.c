/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/step.h"

#include <stdlib.h>

#include "base/error.h"

#define FEW 16 /* steps for which no memory is allocated: this is called while engines are measured */

assay_status conf_step_run(const assay_engine *engine, assay_session *session, const conf_sample_step *steps,
                           size_t n, size_t padded_width, assay_error *err)
{
    assay_step few_calls[FEW], *calls = few_calls;
    assay_output few_outputs[FEW], *outputs = few_outputs;
    if (n > FEW) {
        calls = calloc(n, sizeof *calls);
        outputs = calloc(n, sizeof *outputs);
    }
    assay_status rc = ASSAY_OK;
    if (!calls || !outputs)
        rc = assay_fail(err, ASSAY_ENOMEM, "out of memory in the harness for %zu samples", n);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        outputs[i] = (assay_output){.name = steps[i].output ? steps[i].output : "logits",
                                    .n_last = steps[i].n_last,
                                    .data = steps[i].logits};
        calls[i] = (assay_step){.sample = steps[i].sample,
                                .tokens = steps[i].tokens,
                                .n_tokens = steps[i].n_tokens,
                                .items = steps[i].items,
                                .n_items = steps[i].n_items,
                                .outputs = &outputs[i],
                                .n_outputs = steps[i].n_last > 0};
    }
    const assay_step_options options = {.size = sizeof options, .padded_width = padded_width};
    if (rc == ASSAY_OK) rc = engine->step(session, calls, n, &options, err);
    if (n > FEW) {
        free(calls);
        free(outputs);
    }
    return rc;
}

assay_status conf_step_alone(const assay_engine *engine, assay_model *model, conf_cache_limit caches,
                             const conf_sample_step *step, const assay_tap *tap, assay_error *err)
{
    assay_session *session = NULL;
    assay_status rc = conf_open_session(engine, model, 1, step->n_tokens, caches, &session, err);
    if (rc == ASSAY_OK && tap) rc = engine->tap(session, tap, err);
    if (rc == ASSAY_OK) rc = conf_step_run(engine, session, step, 1, 0, err);
    engine->session_free(session);
    return rc;
}
