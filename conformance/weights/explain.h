/* What is wrong with a stored weight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_EXPLAIN_H
#define CONFORMANCE_WEIGHTS_EXPLAIN_H

#include "conformance/weights/measure.h"

enum { CONF_FAULT_MAX = 240 };

/* Writes the fault of a weight that is not sound: the one change of it (another reading of its bytes, another
 * order, a factor, a sign, a summand) after which its error is that of a sound weight; or how far its values
 * follow the original's. Of a weight of which one group of columns alone is wrong, the group is explained.
 * *is_explained: such a change was found.
 * Fails with ASSAY_ENOMEM. */
assay_status conf_weight_explain(const conf_weight *original, const conf_weight *stored,
                                 const conf_weight_error *error, char fault[CONF_FAULT_MAX],
                                 bool *is_explained, assay_error *err);

/* Writes the fault if the weight has the values of `other`, a weight of the original. Fails with
 * ASSAY_ENOMEM. */
assay_status conf_weight_is_other(const conf_weight *stored, const conf_weight_error *error,
                                  const conf_weight *other, char fault[CONF_FAULT_MAX], assay_error *err);

#endif
