/* The gated MLP of a layer, or of its shared expert.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_MLP_H
#define FASTPATH_MLP_H

#include "fastpath/pass.h"

/* x, y: [R, D]. */
assay_status fp_mlp_run(fp_pass *pass, const plan_mlp *mlp, const fp_mlp *w, float *y, const float *x);

#endif
