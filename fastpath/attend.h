/* Attention of one layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_ATTEND_H
#define FASTPATH_ATTEND_H

#include "fastpath/pass.h"

/* Computes attention of layer i and caches the layer's keys and values. x: [R, D], the normalised
 * input; y: [R, D]. */
assay_status fp_attend(fp_pass *pass, size_t i, const float *x, float *y);

#endif
