/* State of a walk, shared by its prefills and their trace and override callbacks.
 * T: tokens of the sample, V: vocabulary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_WALKER_H
#define CONFORMANCE_LOCATE_WALKER_H

#include <assay/kernel.h>

#include "conformance/judge/noise.h"
#include "conformance/locate/location.h"
#include "conformance/locate/sequence.h"
#include "conformance/locate/tensors.h"

/* sequence NULL: compares the recorded batch with the case's traces; else compares one sample alone
 * with the reference. */
typedef struct conf_walk_task {
    const conf_location *location;
    const conf_sequence *sequence;
    conf_walk *walk;
} conf_walk_task;

typedef struct conf_walker {
    const conf_walk_task *task;
    conf_walk *walk;
    conf_verdict *verdict;   /* of the engine */
    conf_verdict *listening; /* of the running engine: receives last_trace */
    const conf_case *c;
    const assay_engine *engine, *reference; /* engine NULL: an observation; reference NULL: none */
    const assay_kernels *kernels;           /* given to the engine; or NULL */
    bool float64;                           /* the engine or the observation is float64 */
    conf_bounds bounds;
    conf_tensors *golden;
    conf_tensors *found; /* the candidate's; NULL: the engine computes them again */
    size_t vocab;        /* V; 0: unknown so far */
    int32_t *tokens;     /* [T] */
    size_t n_tokens;
    double *truth, *logits; /* [T, V]; NULL: unknown */
    assay_error err;        /* the first failure of the harness inside a callback */
    bool failed;
} conf_walker;

#endif
