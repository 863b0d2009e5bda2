/* Attention to the images of a sample (plan.h, PLAN_MIXER_CROSS).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_CROSS_H
#define REF_CROSS_H

#include "ref/pass.h"

/* y = o(attention(q(x), k(features), v(features))) of layer i, of a sample with images. x, y: [T, D]. Fails
 * with ASSAY_ENOMEM. */
assay_status ref_cross(const ref_pass *pass, size_t i, const ref_real *x, ref_real *y);

/* Sets the rows of the tokens before the first image to zero. y: [T, D]. */
void ref_cross_leave_out(const ref_pass *pass, ref_real *y);

#endif
