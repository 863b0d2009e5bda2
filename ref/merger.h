/* The last part of a tower: averaging of patches, and the merger of blocks of patches into feature rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_MERGER_H
#define REF_MERGER_H

#include "ref/ops.h"
#include "ref/patches.h"

/* y = ((mean of x over pool × pool patches) · factor - bias) · scale.
 * x: [P, width], patches of `from`; y: [P / side², width], patches of `to`, whose grids are those of `from`
 * divided by pooling->side; order, merge: of both. Fails with ASSAY_ENOMEM. */
assay_status ref_pool(ref_real *y, const ref_patches *to, const ref_real *x, const ref_patches *from,
                      plan_patch_order order, size_t merge, size_t width, const plan_pooling *pooling);

/* The steps of a merger, one after the other.
 * x: [P, width]; y: [P / m², H], the blocks of each frame row by row, with the rows that the merger adds.
 * Fails with ASSAY_ENOMEM. */
assay_status ref_merge(ref_real *y, const ref_real *x, const ref_patches *patches, plan_patch_order order,
                       size_t merge, size_t width, const plan_merger *merger);

/* Joins the crops of an image (plan_crops). x: [1 + layout[0] · layout[1], side², width], the whole image,
 * then its crops row by row. layout: rows and columns of crops; 0: there are none. y: [side², 2 · width], of
 * each patch its row of the whole image, then the mean of those of the crops, or again that of the whole
 * image. 2 · margin < side. */
void ref_crops_join(ref_real *y, const ref_real *x, size_t side, const size_t layout[2], size_t margin,
                    size_t width);

#endif
