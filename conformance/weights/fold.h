/* Scales that a converter has moved from one weight into others, so that the model computes the same: AWQ and
 * SmoothQuant multiply the columns of matrices, and divide what makes their inputs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_FOLD_H
#define CONFORMANCE_WEIGHTS_FOLD_H

#include "conformance/weights/comparison.h"

/* Finds such scales among pairs that are wrong, and compares these weights with the original's after the same
 * move. Scales are moved only where all matrices that read the inputs have them and none is sound without; a
 * norm's follow from its numbers, those between two matrices from both. The pairs have been measured, and are
 * in the order of the plan. Fails with ASSAY_ENOMEM. */
assay_status conf_weights_fold(conf_weight_comparison *c, assay_error *err);

#endif
