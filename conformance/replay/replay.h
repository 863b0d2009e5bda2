/* Drives an engine through a case and keeps what it answers. Every buffer is filled with NaN beforehand, so
 * that what was not written cannot pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_REPLAY_H
#define CONFORMANCE_REPLAY_REPLAY_H

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

/* Steps that sample b takes in greedy generation: those of the expected stream, and one more where it ends
 * with a stop id that the fixture left out. *n_golden: the length of the stream. */
size_t conf_greedy_steps(const conf_replay *r, size_t b, size_t *n_golden);

/* Replays a case of kind logits or generate: prefill, forced decode, then greedy generation in the same
 * session with the expected token forced after each step, then prefill_last where the engine has it. False
 * where the verdict has been set instead. */
bool conf_replay_decoder(conf_replay *r);
void conf_replay_free(conf_replay *r);

/* What an engine's rope answers, as F64: out like the case's x, cos and sin [n_positions, dim]. */
typedef struct conf_rope_answer {
    double *out, *cos, *sin;
    size_t dim;
} conf_rope_answer;

bool conf_replay_rope(conf_replay *r, conf_rope_answer *out);
void conf_rope_answer_free(conf_rope_answer *a);

#endif
