/* What assay reduce is asked for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_TASK_H
#define CONFORMANCE_REDUCE_TASK_H

#include <assay/engine.h>

#include "conformance/process/isolate.h"

#define CONF_REDUCE_SECONDS 60

/* Strings are borrowed. */
typedef struct conf_reduction_task {
    const char *path;      /* of the case */
    const char *directory; /* where the reduced case is written; created, and must be empty */
    const char *engine;    /* as the user names it */
    const char *kernels;   /* NULL: none */
    conf_compute compute;
    const uint64_t *seed; /* NULL: none */
    const char *manner;   /* NULL: all */
    const char *const *allow_unknown;
    conf_limits limits;
    bool recorded;  /* keep to recorded expected values */
    double seconds; /* after which no further attempt is made */
} conf_reduction_task;

#endif
