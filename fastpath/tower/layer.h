/* One layer of a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_LAYER_H
#define FASTPATH_TOWER_LAYER_H

#include "fastpath/tower/pass.h"

/* Computes layer i in place. x: [P, D]. Fails with ASSAY_ENOMEM. */
assay_status fp_tower_layer_run(fp_tower_pass *v, size_t i, float *x);

#endif
