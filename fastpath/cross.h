/* Attention to images, in one layer of a pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CROSS_H
#define FASTPATH_CROSS_H

#include "fastpath/pass.h"

/* Whether a run of the pass has images: otherwise a layer that attends to images changes nothing. */
bool fp_cross_has_images(const fp_pass *pass);

/* y = o(attention(q(x), keys, values)) of layer i; 0 in the rows of samples without images. x, y: [R, D].
 * Fails with ASSAY_ENOMEM. */
assay_status fp_cross_attend(fp_pass *pass, size_t i, const float *x, float *y);

/* Sets the rows of tokens that see no image to 0. y: [R, D]. */
void fp_cross_leave_out(const fp_pass *pass, float *y);

#endif
