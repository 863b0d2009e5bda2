/* The task of a process that evaluates a case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_ASSIGNMENT_H
#define CONFORMANCE_EVALUATE_ASSIGNMENT_H

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include <stdint.h>

struct conf_profile; /* profile.h */

/* Strings are borrowed. */
typedef struct conf_assignment {
    const char *engine;   /* path of a module */
    const char *kernels;  /* path of a library whose kernels the engine uses; may be NULL */
    const char *path;     /* of a case; NULL: only load the module */
    conf_compute compute; /* requested compute type; CONF_COMPUTE_NONE: the engine's choice */
    const uint64_t *seed; /* seed that rearranges the batch; NULL: as recorded */
    const char *manner;   /* of evaluating samples (replay/manner.h); NULL: all */
    const char
        *reference; /* path of an engine that computes the tensors that are not recorded (failing.h); NULL */
    size_t context_shift;  /* judge cases with limited caches by a context shift (shift.h) by so many tokens;
                              0: do not */
    const char *dump;      /* file for an observation of a case replayed to its end; may be NULL */
    const char *dump_case; /* what the observation calls the case; NULL: its path */
    const char *vector;    /* "GROUP/ID": replay only this vector of a textual case; NULL: all */
    const char *const *allow_unknown; /* see conf_case */
    struct conf_profile
        *profile;       /* NULL, or shared memory: the case is not judged, its errors are noted there */
    conf_limits limits; /* of each vector's process; unused for other cases */
} conf_assignment;

#endif
