/* Replays that find where a case first diverges. Tasks of conf_isolate, with results in shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_REPLAY_H
#define CONFORMANCE_LOCATE_REPLAY_H

#include "conformance/case/case.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/locate/location.h"

/* context: a conf_replay_task. Finds the first divergence of the case as recorded; of an observation. */
typedef struct conf_replay_task {
    const conf_location *location;
    const conf_sequence *sequence;
    conf_divergence *divergence;
} conf_replay_task;

void conf_divergence_find(const void *context, conf_verdict *v);

/* Replays a sequence: CONF_PASSED if it agrees with the recorded truth (and, for a greedy stream, with
 * the next token), otherwise CONF_FAILED. */
void conf_sequence_replay(const void *context, conf_verdict *v);

/* The case's logits in an observation. rows: [R, V] like those of the case; NaN where !has[decode]. */
typedef struct conf_observed {
    double *rows;
    bool has_prefill, has_decode;
    bool float64; /* the engine's type */
} conf_observed;

/* Fails as conf_h5_read does, also if a shape differs from the case's. The caller frees out->rows. */
assay_status conf_observed_read(const conf_h5 *file, const conf_case *c, conf_observed *out,
                                assay_error *err);

#endif
