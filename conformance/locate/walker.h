/* State of a walk, shared by its prefills and their callbacks.
 * T: tokens of the sample, V: vocabulary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_WALKER_H
#define CONFORMANCE_LOCATE_WALKER_H

#include <assay/kernel.h>

#include "conformance/case/items.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/evaluate/tensor_file.h"
#include "conformance/judge/noise.h"
#include "conformance/locate/location.h"
#include "conformance/locate/steps.h"

/* sequence NULL: the batch as recorded, against the case's traces; else a single sample against the
 * reference. */
typedef struct conf_walk_task {
    const conf_location *location;
    const conf_sequence *sequence;
    conf_walk *walk;
    const conf_steps *steps; /* of which the walk is one; NULL: none are shown */
} conf_walk_task;

typedef struct conf_walker {
    const conf_walk_task *task;
    conf_walk *walk;
    conf_verdict *verdict; /* of the engine */
    conf_verdict *running; /* verdict of the running engine, which notes its last tensor */
    const conf_case *c;
    const assay_engine *engine, *reference; /* NULL: an observation; no reference */
    const assay_kernels *kernels;           /* external kernels for the engine; or NULL */
    bool float64;                           /* type of the engine or the observation */
    conf_bounds bounds;
    conf_tensors *golden;
    conf_tensors *found; /* tensors of the candidate; NULL: the engine is run again */
    size_t vocab;        /* V; 0: not known yet */
    conf_items items;    /* of all samples of the case */
    int32_t *tokens;     /* [T] */
    size_t n_tokens;
    double *truth, *logits; /* [T, V], rows that are not recorded are NaN; NULL: not known */
    assay_error err;        /* the first failure of the harness inside a callback */
    bool failed;
} conf_walker;

#endif
