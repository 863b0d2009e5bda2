/* Compares two tensors of the same shape, reading them part by part.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_TENSORS_H
#define CONFORMANCE_DIFF_TENSORS_H

#include "conformance/diff/state.h"
#include "conformance/judge/tensor.h"

/* The worst element of a tensor, in units, and the values there. */
typedef struct conf_diff_tensor {
    conf_tensor_judgement worst;
    double expected, found;
} conf_diff_tensor;

/* The largest |value| of s. Fails for a value that is not finite if `finite` is set. */
assay_status conf_diff_largest(const conf_diff_state *d, conf_h5_rows *s, bool finite, double *largest,
                               assay_error *err);

/* truth and found must have the same shape. */
assay_status conf_diff_tensor_judge(const conf_diff_state *d, conf_h5_rows *truth, conf_h5_rows *found,
                                    double unit, conf_diff_tensor *out, assay_error *err);

#endif
