/* The list of all operations of the sweep.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_LIST_H
#define CONFORMANCE_SWEEP_LIST_H

#include "conformance/sweep/parts.h"

enum { SWEEP_OPS_MAX = 32, SWEEP_LARGEST_MAX = 256 };

/* The number of operations, at most SWEEP_OPS_MAX, and the operation at an index, in the order of the
 * table. */
size_t sweep_n_ops(void);
const sweep_op *sweep_op_at(size_t index);

/* Runs all shapes of an operation, then large ones: for each size its largest value, with random numbers, and
 * others up to it with all numbers in turn. */
void sweep_run(sweep *s, const sweep_op *op);

/* Writes the largest value of each size in the cases of s, as "rows 9, width 3000"; at most n bytes. */
void sweep_largest_write(const sweep *s, const sweep_op *op, char *text, size_t n);

/* Whether word is the operation's name, or the part of the name before its dot. */
bool sweep_op_is_called(const sweep_op *op, const char *word);

/* Parses NUMBERS DIM… of a case from words [n]. False for an unknown name of numbers, a wrong number
 * of dimensions, or a dimension that is not a whole number; does not check whether the operation
 * allows the shape. */
bool sweep_case_read(const sweep_op *op, const char *const *words, size_t n, sweep_numbers *numbers,
                     size_t *shape);

#endif
