/* Evaluates a pass.
 *
 * The mathematics of ref and fastpath is deliberately written twice: an error in shared code would be
 * in both engines, and comparing them would not show it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_FORWARD_H
#define FASTPATH_FORWARD_H

#include "fastpath/pass.h"

/* Evaluates the runs: writes their positions into the caches, and their logits to run.logits. Leaves
 * scratch as it was. Fails with ASSAY_ENOMEM, or with ASSAY_ESTOPPED if the tracer's tap returns false;
 * n_tokens of all states is unchanged then. */
assay_status fp_forward(const fp_model *m, fp_scratch *scratch, const fp_tracer *tracer, fp_run *runs,
                        size_t n_runs);

#endif
