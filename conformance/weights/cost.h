/* What a quantised checkpoint costs on the prompts of a case: how far its predictions are from the
 * original's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_COST_H
#define CONFORMANCE_WEIGHTS_COST_H

#include <assay/engine.h>

#include "conformance/case/case.h"

/* A position is a token of a sample: of its prompt, or forced after it. */
typedef struct conf_weights_cost {
    const char *path; /* of the case, borrowed */
    size_t n_positions;
    double kl, largest_kl; /* KL(original ‖ stored) in nats: the mean, and the largest of a position */
    size_t sample, token;  /* that position */
    size_t n_changed;      /* positions at which another token is the most probable */
} conf_weights_cost;

/* Evaluates the prompts of c, of kind logits or generate, and the tokens forced after them, by an engine with
 * logits in float64, with each of the two checkpoints. A position whose logits are not finite counts as an
 * infinite KL. Fails with ASSAY_EUNSUPPORTED for another kind of case, another kind of engine, or
 * vocabularies that differ; as the engine does; and with ASSAY_ENOMEM. */
assay_status conf_weights_cost_of(const conf_case *c, const assay_engine *engine, const char *original,
                                  const char *stored, conf_weights_cost *out, assay_error *err);

#endif
