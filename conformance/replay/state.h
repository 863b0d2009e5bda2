/* A replay under way: what it needs, and what the engine has answered so far. Every buffer is filled with NaN
 * beforehand, so that what was not written cannot pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_STATE_H
#define CONFORMANCE_REPLAY_STATE_H

#include <assay/kernel.h>

#include "conformance/case/case.h"
#include "conformance/judge/verdict.h"
#include "conformance/replay/arrange.h"

/* A tensor that the engine gave and the case has. value: F64, data NULL where its type or shape is not the
 * case's. */
typedef struct conf_seen {
    const conf_trace *trace;
    conf_array value;
} conf_seen;

typedef struct conf_replay {
    const assay_engine *engine;
    const assay_kernels *kernels; /* that it is given; or NULL */
    const conf_case *c;
    const uint64_t *seed;  /* of the arrangement; NULL: as recorded */
    conf_verdict *verdict; /* set where the replay ends early; its stage is always up to date */
    assay_model *model;
    size_t vocab;
    conf_arrangement batch;
    double *rows;   /* [R, V], like the case's rows; NULL where it has none */
    double *again;  /* [R, V], those of prefill: of the same prompts in the same session, once more, before
                     * greedy generation; NULL where the case has no rows or no tokens */
    double *greedy; /* [B, M + 1, V]: the logits that decide each step; NaN for steps that are not taken */
    int32_t *stop_ids;
    size_t n_stop_ids;
    conf_seen *seen; /* in the order in which the engine evaluated them */
    size_t n_seen;
    char contradiction[CONF_TEXT_MAX]; /* where prefill_last gives other bits than prefill, or empty */
} conf_replay;

#endif
