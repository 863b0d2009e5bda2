/* Two checkpoints of one model, weight by weight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_COMPARE_H
#define CONFORMANCE_WEIGHTS_COMPARE_H

#include "conformance/weights/comparison.h"

/* Pairs the weights of two plans by their places and measures each pair. Both plans must outlive *out, which
 * the caller frees. Fails with ASSAY_EINVAL if the plans have other places, so that they are not of one
 * model, and with ASSAY_ENOMEM. */
assay_status conf_weights_compare(const plan *original, const plan *stored, conf_weight_comparison *out,
                                  assay_error *err);
void conf_weights_free(conf_weight_comparison *c);

#endif
