/* The choice of experts where the router kernel's is not the model's: with sigmoids,
 * groups, a bias, or another divisor than the sum.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_CHOICE_H
#define FASTPATH_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fp_choice {
    size_t n_experts, n_active;
    size_t n_groups, n_active_groups; /* of n_experts / n_groups neighbours each; n_groups 0: no groups */
    const float *bias;                /* [n_experts], added to probabilities that are compared; NULL: none */
    bool renormalize;
    double sum_floor;  /* the sum that divides is at least this; 0: no limit */
    double sum_offset; /* added to that sum */
    double factor;     /* multiplies the shares */
} fp_choice;

/* probability: [n_rows, n_experts].
 * chosen: [n_rows, n_active], the experts with the largest sums of probability and bias (the lower index
 * among equals), in ascending order; with groups, only those of the n_active_groups groups whose two largest
 * such sums add up to most. share: [n_rows, n_active], their probabilities times factor, divided by their sum
 * (or sum_floor if it is larger) and sum_offset where renormalize.
 * scratch: [n_experts + n_groups]. */
void fp_choose_experts(int32_t *chosen, float *share, const float *probability, size_t n_rows,
                       const fp_choice *choice, double *scratch);

#endif
