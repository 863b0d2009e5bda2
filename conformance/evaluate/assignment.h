/* What a process of its own is to evaluate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_ASSIGNMENT_H
#define CONFORMANCE_EVALUATE_ASSIGNMENT_H

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include <stdint.h>

/* Strings are borrowed. */
typedef struct conf_assignment {
    const char *engine;   /* path of a module */
    const char *kernels;  /* path of a library whose kernels the engine is given; may be NULL */
    const char *path;     /* of a case; NULL: load the module alone */
    assay_dtype compute;  /* asked of the engine; ASSAY_DTYPE_NONE: as it likes */
    const uint64_t *seed; /* arranges the batch otherwise than recorded; may be NULL */
    const char *dump;     /* file for the observation of a case that is replayed to its end; may be NULL */
    const char *vector;   /* "GROUP/ID": replay this vector of a textual case alone; NULL: all */
    const char *const *allow_unknown; /* as of conf_case */
    conf_limits limits;               /* of the process of each vector; without effect on other cases */
} conf_assignment;

#endif
