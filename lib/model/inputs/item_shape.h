/* Tensors of an item with another type or shape than expected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_ITEM_SHAPE_H
#define MODEL_INPUTS_ITEM_SHAPE_H

#include <assay/engine.h>

/* Fails with ASSAY_EUNSUPPORTED, naming the tensor, unless its type is I32 or I64. */
assay_status item_expect_integers(const assay_tensor *t, assay_error *err);

/* Sets the error, which names the tensor and its shape, and returns ASSAY_EINVAL. expected: shapes, as text.
 */
assay_status item_shape_fail(const assay_tensor *t, const char *expected, assay_error *err);

#endif
