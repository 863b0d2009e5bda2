/* The logits that the reference engine computes for a reduced case. They are no golden: the case that has
 * them says so, and the reference must agree with the whole case first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_COMPUTE_H
#define CONFORMANCE_REDUCE_COMPUTE_H

#include "conformance/reduce/cut/cut.h"

/* Replaces the rows that the cut keeps in `truth`, [n_rows, V] of the whole, by those of the engine at
 * `path`, which must compute in float64, for the checkpoint `model`: prompts in one step, then token by
 * token. Fails with the engine's error, with ASSAY_EUNSUPPORTED if it is another engine or checkpoint, or
 * with ASSAY_ENOMEM. */
assay_status conf_cut_compute(const conf_whole *whole, const conf_cut *cut, const char *path,
                              const char *model, double *truth, assay_error *err);

#endif
