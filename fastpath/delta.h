/* A gated delta net: plan_delta, token by token, over recurrent caches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_DELTA_H
#define FASTPATH_DELTA_H

#include "fastpath/pass.h"

/* y = the gated delta net of layer i, which updates the recurrent caches of the samples. x, y: [R, D]. Fails
 * with ASSAY_ENOMEM. */
assay_status fp_delta_run(fp_pass *pass, size_t i, const float *x, float *y);

#endif
