/* The shortest program that still fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_REDUCE_H
#define CONFORMANCE_SCHEDULE_REDUCE_H

#include "conformance/schedule/run.h"

/* How far a reduction may go. */
typedef struct conf_reduction {
    double seconds; /* at most, about */
    size_t tries;   /* of each candidate: races are luck */
} conf_reduction;

/* Cuts a failing program down to the shortest that still fails in the same way, as far as the effort lasts.
 * *v: how it fails; replaced by how what is left does. *again: whether it failed again at all; if not, *s and
 * *v are as they were. */
assay_status conf_schedule_reduce(const conf_runner *r, const conf_reduction *effort, conf_schedule *s,
                                  conf_verdict *v, bool *again, assay_error *err);

#endif
