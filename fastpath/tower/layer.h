/* One layer of a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_VISION_LAYER_H
#define FASTPATH_VISION_LAYER_H

#include "fastpath/tower/pass.h"

/* Computes layer i in place. x: [P, D]. Fails with ASSAY_ENOMEM. */
assay_status fp_vision_layer(fp_vision *v, size_t i, float *x);

#endif
