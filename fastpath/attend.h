/* Attention of one layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_ATTEND_H
#define FASTPATH_ATTEND_H

#include "fastpath/pass.h"

/* y = attention of layer i over x: [R, D], its normed input; writes the layer's keys. y: [R, D]. */
assay_status fp_attend(fp_pass *pass, size_t i, const float *x, float *y);

#endif
