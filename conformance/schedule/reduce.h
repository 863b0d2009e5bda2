/* Reduction of a failing program to a minimal one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_REDUCE_H
#define CONFORMANCE_SCHEDULE_REDUCE_H

#include "conformance/schedule/run.h"

/* Limits of a reduction. */
typedef struct conf_reduction {
    double seconds; /* approximate time limit */
    size_t tries;   /* runs of each candidate program, since a race does not fail every time */
} conf_reduction;

/* Reduces a failing program to the shortest one found that still fails in the same way, within the
 * limits. *v: on entry how the program fails, on return how the reduced program fails. *again: whether
 * the program failed again at all; if not, *s and *v are unchanged. */
assay_status conf_schedule_reduce(const conf_runner *r, const conf_reduction *effort, conf_schedule *s,
                                  conf_verdict *v, bool *again, assay_error *err);

#endif
