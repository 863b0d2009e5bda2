/* Evaluates the towers: from images, videos and audio to features.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_TOWER_H
#define FASTPATH_TOWER_TOWER_H

#include "fastpath/features.h"
#include "fastpath/pass.h"

/* Evaluates one medium in passes of bounded size: at least one frame, and of further frames as many as fit
 * into FP_TOWER_PASS rows. Memory that it needs meanwhile, for P patches of a pass: x, keys and values of
 * one layer (about 3 · P · D numbers), 32 bytes a patch for the layout, the angles of the rope, and that of a
 * block of FP_TOWER_ROWS. The caller releases *out. Fails with ASSAY_ENOMEM. */
#define FP_TOWER_PASS ((size_t)4096)
assay_status fp_tower_run(const fp_model *m, const medium *input, fp_features **out);

/* Evaluates n media of one tower in one pass for a tracer, which receives and may overwrite vision.patch,
 * vision.NN.out, vision.deepstack.K and vision.merged (audio.… of audio clips): rows of all media, one after
 * the other, in the order of the model's input. out: [n], to be released; NULL on failure. Fails with
 * ASSAY_ENOMEM or ASSAY_ESTOPPED. */
assay_status fp_tower_trace(const fp_model *m, const fp_tracer *tracer, const medium *const *list, size_t n,
                            fp_features **out);

/* Whether the tracer receives tensors of a tower. */
bool fp_tower_is_traced(const fp_model *m, const fp_tracer *tracer);

#endif
