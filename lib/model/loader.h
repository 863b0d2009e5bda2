/* Loading: a checkpoint directory becomes a plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_LOADER_H
#define MODEL_LOADER_H

#include "model/plan/plan.h"

/* Whether the family of this model_type is implemented. */
bool plan_has_family(const char *model_type);

/* Opens a checkpoint directory: reads its documents, maps its weights, resolves and checks every layer.
 * Fails with EIO, EFORMAT, EUNSUPPORTED or ENOMEM; the text names file, member, what was found and what was
 * expected. The caller frees *out with plan_free. */
assay_status plan_open(const char *dir, plan **out, assay_error *err);

/* plan_open of a checkpoint whose config.json holds members that are not understood and would be refused:
 * the members listed in `allowed`, NULL-terminated or NULL, are ignored. Each is spelled as in the error
 * message: "residual_multiplier", "text_config.NAME", "rope_parameters.NAME". Borrowed for the call. */
assay_status plan_open_allowing(const char *dir, const char *const *allowed, plan **out, assay_error *err);
void plan_free(plan *p);

/* Unmaps the weights of a plan of which only the numbers are still read: afterwards data and name of every
 * plan_weight in it are dangling. */
void plan_release_weights(plan *p);

#endif
