/* Runs a matrix product and judges it: its values, what else it writes, each row alone, parts on threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_MATMUL_JUDGE_H
#define CONFORMANCE_SWEEP_MATMUL_JUDGE_H

#include "conformance/sweep/matmul_parts.h"

/* p: with weights that are packed and rows that are made; sets its y. */
void sweep_judge_product(sweep_product *p, sweep *s);

#endif
