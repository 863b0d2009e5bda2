/* One layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_LAYER_H
#define FASTPATH_LAYER_H

#include "fastpath/pass.h"

/* Computes layer i in place. x: [R, D]; with streams, [S, R, D]. */
assay_status fp_layer_run(fp_pass *pass, size_t i, float *x);

#endif
