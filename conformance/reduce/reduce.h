/* Reduction: a smaller case with which an engine fails in the same way.
 *
 * The first tokens of a sample, and samples of their own, have the recorded values of the whole case.
 * Anything else is computed by the reference engine, if that agrees with the whole case, and the reduced case
 * says so. Goldens are never changed: a reduced case is a bundle, no fixture.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_REDUCE_H
#define CONFORMANCE_REDUCE_REDUCE_H

#include "conformance/report/results.h"
#include "conformance/support/context.h"

#define CONF_REDUCE_SECONDS 60

/* Strings are borrowed. */
typedef struct conf_reduction_task {
    const char *path;      /* of the case */
    const char *directory; /* where the reduced case is written; created, and must be empty */
    const char *engine;    /* as the user names it */
    const char *kernels;   /* NULL: none */
    assay_dtype compute;
    const uint64_t *seed; /* NULL: none */
    const char *manner;   /* NULL: all */
    const char *const *allow_unknown;
    conf_limits limits;
    double seconds; /* after which no further attempt is made */
} conf_reduction_task;

/* Reduces the case, prints each attempt and what is kept, and writes the bundle. Exit status: 0 it is
 * written; 2 the engine passes the case; 77 it cannot run it, or cases of this kind cannot be reduced; 99
 * otherwise. */
conf_exit conf_reduce(const conf_reduction_task *task, const conf_context *context);

#endif
