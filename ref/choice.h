/* The choice of experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_CHOICE_H
#define REF_CHOICE_H

#include "ref/ops.h"

/* Of the probabilities of one token, keeps those of the n_active experts whose sums of probability and bias
 * are the largest, of equal ones the first, and zeroes the others; then divides and multiplies them as x
 * says. With groups, only the experts of the n_active_groups groups whose two largest such sums add up to
 * most are compared. share, bias: [n_experts]. scratch: [2 * n_experts]. */
void ref_choose_experts(ref_real *share, const ref_real *bias, const plan_experts *x, ref_real *scratch);

#endif
