/* All operations that the sweep knows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_LIST_H
#define CONFORMANCE_SWEEP_LIST_H

#include "conformance/sweep/parts.h"

enum { SWEEP_OPS_MAX = 32 };

/* Their number, at most SWEEP_OPS_MAX, and each of them, in the order of the table. */
size_t sweep_n_ops(void);
const sweep_op *sweep_op_at(size_t index);

/* Whether word is the operation's name, or what stands before the dot of it. */
bool sweep_op_is_called(const sweep_op *op, const char *word);

/* Reads NUMBERS DIM… of a case as words [n] spell them. False where there are no such numbers, not so many
 * dimensions, or one is no whole number; whether the operation allows the shape is not asked. */
bool sweep_case_read(const sweep_op *op, const char *const *words, size_t n, sweep_numbers *numbers,
                     size_t *shape);

#endif
