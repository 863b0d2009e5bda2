/* The state of a replay: its inputs, and the engine's answers so far. Rows of logits are NaN until the engine
 * has given them, so that rows that it does not give cannot pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_STATE_H
#define CONFORMANCE_REPLAY_STATE_H

#include <assay/kernel.h>

#include "conformance/case/case.h"
#include "conformance/case/items.h"
#include "conformance/judge/verdict.h"
#include "conformance/replay/arrange.h"
#include "conformance/replay/manner.h"
#include "conformance/support/guard.h"

/* A traced tensor that the case has. value: F64; data NULL if the engine's tensor is not of floating
 * type or its shape differs from the case's. */
typedef struct conf_traced {
    const conf_trace *trace;
    conf_array value;
} conf_traced;

struct conf_follow; /* follow.h */

typedef struct conf_replay {
    const assay_engine *engine;
    const assay_kernels *kernels; /* kernels to give to the engine; or NULL */
    const conf_case *c;
    const uint64_t *seed;  /* for conf_arrange; NULL: as recorded */
    conf_verdict *verdict; /* set if the replay ends early; its stage is always up to date */
    assay_model *model;
    size_t vocab;
    conf_arrangement batch;
    conf_items items;   /* of the case's samples; their data are those of `inputs` */
    conf_guard *inputs; /* [items.n_tensors], read-only */
    double *rows;       /* [R, V], like the case's rows; NULL if it has none */
    bool *wanted;       /* [R]: the row was asked for in this evaluation */
    double *once_more;  /* [V], scratch: a row that is evaluated again */
    bool keeps_spans;   /* in this evaluation the placeholder tokens of each item come in one step */
    double *again;  /* [R, V], only the prefill rows: the prompts evaluated again in the same session, before
                     * greedy generation; NULL if the case has no rows or no greedy tokens */
    bool generated; /* again and greedy were evaluated */
    double *greedy; /* [B, M + 1, V]: the logits before each greedy step; NaN if the step was not run */
    int32_t *stop_ids;
    size_t n_stop_ids;
    struct conf_follow
        *follow;       /* NULL, or the sample whose tensors are wanted of this evaluation; borrowed */
    conf_traced *seen; /* [n_seen], in the order in which the engine traced them */
    size_t n_seen;
} conf_replay;

#endif
