/* The gated delta net.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_DELTA_H
#define REF_DELTA_H

#include "ref/ops.h"

/* The mixer's output for a whole sequence, from a state of zeros; the equations are those of plan_delta.
 * x, y: [T, D]. Fails with ASSAY_ENOMEM. */
assay_status ref_delta(ref_real *y, const ref_real *x, size_t n_tokens, const plan_delta *d);

#endif
