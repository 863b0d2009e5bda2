/* One case with one engine: replay, judge, and the words for what came out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_EVALUATE_H
#define CONFORMANCE_EVALUATE_EVALUATE_H

#include <stdint.h>

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"

/* What a process is to do; strings are borrowed. */
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

/* Reads the case, loads the module and judges it. *v is zeroed beforehand; it is CONF_BROKEN where the case
 * or the module is, CONF_SKIPPED where the case's kind is not replayed, where the case has no run to judge
 * this type by, where the module offers no choice of types or nothing that the kind asks for, where the case
 * lacks the vector, or where kernels are given that the engine does not take, or that have no part in the
 * case. To be run in a process of its own: neither the engine nor a
 * reader of untrusted files is trusted with more. */
void conf_evaluate(const conf_assignment *assignment, conf_verdict *v);

#endif
