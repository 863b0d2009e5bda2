/* Runs an operation on several threads at once: engines split its work over rows, and over panels,
 * heads or elements, which are called columns here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_THREADS_H
#define CONFORMANCE_SWEEP_THREADS_H

#include "conformance/sweep/sweep.h"

/* The rows and columns that one call computes. */
typedef struct sweep_part {
    size_t row, n_rows, column, n_columns;
} sweep_part;

/* An output of the operation, in words of 32 bits, from one call and from the threads: [n_rows, ld],
 * without the words after the last column of the last row. Column c of a row has the words from first
 * + c * width to first + (c + 1) * width - 1, or to end - 1. */
typedef struct sweep_output {
    const char *name;
    const void *expected; /* written by one call */
    void *found;          /* written by the threads; guarded */
    size_t ld, first, width, end;
} sweep_output;

typedef struct sweep_work {
    size_t n_rows, n_columns;
    /* Computes a part into outputs[].found; called on several threads at once, for different parts. */
    void (*compute)(const void *context, const sweep_part *part);
    const void *context;
    sweep_output outputs[2];
    size_t n_outputs;
} sweep_work;

/* If s->on_threads, computes disjoint parts on 2 and on 4 threads at once, repeatedly for
 * s->thread_seconds. Every part must have the same bits as from one call, all NaNs being equal, and
 * the words between the rows must stay unchanged. Notes a fault otherwise. */
void sweep_judge_threads(sweep *s, const sweep_work *work);

#endif
