/* Steps that want logits and no other output.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_STEP_H
#define CONFORMANCE_ABI_STEP_H

#include "conformance/abi/open.h"

/* The next tokens of one sample, as in assay_step.
 * tokens: [n_tokens]; items: [n_items].
 * logits: [n_last, vocab] in the engine's type; n_last 0: no logits are wanted.
 * output: the name of the output; NULL: "logits". */
typedef struct conf_sample_step {
    size_t sample;
    const int32_t *tokens;
    size_t n_tokens;
    const assay_item *items;
    size_t n_items;
    void *logits;
    size_t n_last;
    const char *output;
} conf_sample_step;

/* Calls the engine's step for n samples. padded_width: as in assay_step_options. Returns the engine's error
 * if that fails, and ASSAY_ENOMEM. */
assay_status conf_step_run(const assay_engine *engine, assay_session *session, const conf_sample_step *steps,
                           size_t n, size_t padded_width, assay_error *err);

/* Evaluates one step of a sample in a session of its own, which holds the step's tokens. tap: what the
 * session has been given before it; or NULL. The same failures, and those of the calls before it. */
assay_status conf_step_alone(const assay_engine *engine, assay_model *model, conf_cache_limit caches,
                             const conf_sample_step *step, const assay_tap *tap, assay_error *err);

#endif
