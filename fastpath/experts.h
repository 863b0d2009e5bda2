/* The mixture of experts of one layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_EXPERTS_H
#define FASTPATH_EXPERTS_H

#include "fastpath/pass.h"

/* Computes the mixture of experts of layer i. x, routed (input of the router), y: [R, D]. */
assay_status fp_experts_run(fp_pass *pass, size_t i, float *y, const float *x, const float *routed);

#endif
