/* The state of a replay: its inputs, and the engine's answers so far. Every buffer that an engine
 * writes is filled with NaN beforehand, so that elements that it does not write cannot pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_STATE_H
#define CONFORMANCE_REPLAY_STATE_H

#include <assay/kernel.h>

#include "conformance/case/case.h"
#include "conformance/judge/verdict.h"
#include "conformance/replay/arrange.h"

/* A traced tensor that the case has. value: F64; data NULL if the engine's tensor is not of floating
 * type or its shape differs from the case's. */
typedef struct conf_traced {
    const conf_trace *trace;
    conf_array value;
} conf_traced;

typedef struct conf_replay {
    const assay_engine *engine;
    const assay_kernels *kernels; /* kernels to give to the engine; or NULL */
    const conf_case *c;
    const uint64_t *seed;  /* for conf_arrange; NULL: as recorded */
    conf_verdict *verdict; /* set if the replay ends early; its stage is always up to date */
    assay_model *model;
    size_t vocab;
    conf_arrangement batch;
    double *rows;   /* [R, V], like the case's rows; NULL if it has none */
    double *again;  /* [R, V], only the prefill rows: the second prefill of the same session, before
                     * greedy generation; NULL if the case has no rows or no greedy tokens */
    double *greedy; /* [B, M + 1, V]: the logits before each greedy step; NaN if the step was not run */
    int32_t *stop_ids;
    size_t n_stop_ids;
    conf_traced *seen; /* [n_seen], in the order in which the engine traced them */
    size_t n_seen;
    char contradiction[CONF_TEXT_MAX]; /* how prefill_last differs from prefill, or empty */
} conf_replay;

#endif
