/* From the rows of patches to rows for tokens: pooling and mergers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TOWER_MERGE_H
#define FASTPATH_TOWER_MERGE_H

#include "fastpath/tower/pass.h"

/* Features of all tokens of the pass, from the last layer's output, [P, D]. out: [n_features, H]. Fails with
 * ASSAY_ENOMEM. */
assay_status fp_tower_merge(fp_tower_pass *v, const float *x, float *out);

/* The same of a tower with crops, all frames of whose images are in the pass. x is overwritten. */
assay_status fp_tower_merge_crops(fp_tower_pass *v, float *x, float *out);

/* Those of deepstack entry k, from the output of its layer. */
assay_status fp_tower_deepstack(fp_tower_pass *v, size_t k, const float *x, float *out);

#endif
