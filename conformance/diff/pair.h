/* Comparison of two observations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_PAIR_H
#define CONFORMANCE_DIFF_PAIR_H

#include "conformance/diff/state.h"

/* Compares two observations completely. */
assay_status conf_diff_pair(conf_diff_state *d, assay_error *err);

#endif
