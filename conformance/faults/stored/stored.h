/* Faults of readers of stored weights: each changes the descriptions of a plan's matrices, and fastpath reads
 * them correctly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_STORED_STORED_H
#define CONFORMANCE_FAULTS_STORED_STORED_H

#include "model/plan/plan.h"

void fault_halves_swapped(plan *p);
void fault_zero_less_one(plan *p);
void fault_block_scale(plan *p);
void fault_row_scale(plan *p);
void fault_super_scale(plan *p);
void fault_high_bits_shifted(plan *p);
void fault_signs_lost(plan *p);
void fault_table_other(plan *p);
void fault_global_multiplied(plan *p);
void fault_grid_transposed(plan *p);
void fault_ragged_even(plan *p);
void fault_groups_in_order(plan *p);
void fault_rows_permuted(plan *p);
void fault_norms_shifted_again(plan *p);
void fault_sums_missing(plan *p);
void fault_scales_bf16(plan *p);

#endif
