/* One layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_LAYER_H
#define REF_LAYER_H

#include "ref/pass.h"

/* Both fail as ref_forward does. */

/* Computes layer i in place. x: [T, D]; with streams, [S, T, D]. */
assay_status ref_layer(ref_pass *pass, size_t i, ref_real *x);

/* Computes the layer without alternating updates and per-layer input. x: [T, D], in place. */
assay_status ref_block(ref_pass *pass, size_t i, ref_real *x);

#endif
