/* A comparison of weights as text, for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_PRINT_H
#define CONFORMANCE_WEIGHTS_PRINT_H

#include <stdio.h>

#include "conformance/weights/compare.h"
#include "conformance/weights/cost.h"

/* Writes a line for each weight that is wrong, the worst first, or with `all` for each weight; then the table
 * of formats and the totals. */
void conf_weights_print(FILE *out, const conf_weight_comparison *c, bool all);

/* Writes what the checkpoint costs, a line. */
void conf_weights_print_cost(FILE *out, const conf_weights_cost *cost);

/* "ok", "wrong", "missing", … */
const char *conf_weight_state_name(conf_weight_state state);

/* The name of a weight in its checkpoint; of one that the stored checkpoint lacks, in the original. */
const char *conf_weight_name(const conf_weight_pair *p);

#endif
