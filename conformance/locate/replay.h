/* Replays that find where a case first diverges. The functions are tasks of conf_isolate; their results
 * go to shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_REPLAY_H
#define CONFORMANCE_LOCATE_REPLAY_H

#include "conformance/case/case.h"
#include "conformance/locate/location.h"
#include "conformance/locate/sequence.h"

/* Context of the two tasks below. conf_divergence_find replays the case as recorded, or reads the
 * observation, and stores the first divergence; it ignores `sequence`. conf_sequence_replay ignores
 * `divergence`. */
typedef struct conf_replay_task {
    const conf_location *location;
    const conf_sequence *sequence;
    conf_divergence *divergence;
} conf_replay_task;

void conf_divergence_find(const void *context, conf_verdict *v);

/* Replays a sequence. CONF_PASSED if it agrees with the recorded truth (a greedy stream: with the next
 * token), else CONF_FAILED. */
void conf_sequence_replay(const void *context, conf_verdict *v);

/* The logits of an observation. rows: [R, V], in the row order of the case; zeros for a part that the
 * observation lacks. */
typedef struct conf_observed {
    double *rows;
    bool has_prefill, has_decode;
    bool float64; /* the logits are stored as float64 */
} conf_observed;

/* Fails as conf_h5_read does, also if the shapes are not the case's. The caller frees out->rows, which
 * is NULL if the case has no truth. */
assay_status conf_observed_read(const conf_h5 *file, const conf_case *c, conf_observed *out,
                                assay_error *err);

#endif
