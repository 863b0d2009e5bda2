/* The gated MLP of one layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_MLP_H
#define FASTPATH_MLP_H

#include "fastpath/pass.h"

/* Computes the gated MLP of layer i. x, y: [R, D]. */
assay_status fp_mlp_run(fp_pass *pass, size_t i, float *y, const float *x);

#endif
