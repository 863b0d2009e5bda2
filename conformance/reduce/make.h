/* Makes the files of a reduced case, in a process of its own: the reference engine computes in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_MAKE_H
#define CONFORMANCE_REDUCE_MAKE_H

#include "conformance/process/isolate.h"
#include "conformance/reduce/cut/cut.h"

/* All members are borrowed. */
typedef struct conf_making {
    const conf_whole *whole;
    const conf_cut *cut;
    const char *path;  /* of the case */
    const char *model; /* its checkpoint, for the reference */
    const char
        *reference;       /* the engine that computes the expected values; NULL: the recorded ones are kept */
    bool without_tensors; /* leave out the recorded tensors */
} conf_making;

/* The attribute `reduced` of a case with recorded or computed values. Those of a case that was reduced before
 * are recorded only if they were so there. */
const char *conf_making_origin(const conf_whole *whole, bool computed);

/* Whether the case will have recorded tensors. */
bool conf_making_has_tensors(const conf_making *making);

/* A conf_task_fn, of a conf_making. CONF_PASSED: the case is written; CONF_BROKEN: why it is not. */
void conf_make(const void *making, conf_verdict *v);

#endif
