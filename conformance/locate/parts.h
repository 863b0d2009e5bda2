/* The parts of locating; for locate.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_PARTS_H
#define CONFORMANCE_LOCATE_PARTS_H

#include "conformance/case/case.h"
#include "conformance/locate/locate.h"
#include "conformance/replay/replay.h"

/* One sample by itself: its prompt and so many of the tokens that follow it in the case. */
typedef struct conf_sequence {
    size_t sample;
    size_t n_more;
    bool greedy;  /* they are those of the greedy stream, not the forced ones */
    bool padded;  /* the prompt keeps the padding that it has in the batch */
    bool decodes; /* the forced tokens follow step by step, as recorded */
} conf_sequence;

/* Named tensors that lie in a file, and come into memory one at a time. */
typedef struct conf_tensors conf_tensors;

/* Those of the case's /trace, of an observation's /observed/trace, or none yet, in a temporary file without a
 * name. file and c are borrowed. Fail with ASSAY_ENOMEM, ASSAY_EIO and as conf_h5_members does; the caller
 * frees *out. */
assay_status conf_tensors_of_case(const conf_h5 *file, const conf_case *c, conf_tensors **out,
                                  assay_error *err);
assay_status conf_tensors_of_observation(const conf_h5 *file, conf_tensors **out, assay_error *err);

/* Reads a member of an observation of any floating type and of this shape, widened to F64. The caller frees
 * *out. */
assay_status conf_observed_array_read(const conf_h5 *file, const char *name, size_t rank, const size_t *shape,
                                      conf_array *out, assay_error *err);
assay_status conf_tensors_create(conf_tensors **out, assay_error *err);
void conf_tensors_free(conf_tensors *t);

size_t conf_tensors_count(const conf_tensors *t);

/* The tensor of that name, without its values; NULL if there is none. */
const conf_trace *conf_tensors_find(const conf_tensors *t, const char *name);
const conf_trace *conf_tensors_at(const conf_tensors *t, size_t i);

/* Its values, F64; the caller frees *out. ASSAY_EFORMAT where they are no floating-point numbers. */
assay_status conf_tensors_get(const conf_tensors *t, const conf_trace *trace, conf_array *out,
                              assay_error *err);

/* Adds a tensor to a temporary file, unless there is one of that name. */
assay_status conf_tensors_put(conf_tensors *t, const assay_tensor *tensor, assay_error *err);

/* Tasks of conf_isolate. What they find goes to memory that is shared; their verdict is CONF_FAILED where
 * the engine could not be walked or replayed to the end, CONF_BROKEN where the harness failed. */

/* context: a conf_walk_task. sequence NULL: the batch as recorded, against the case's traces; else one
 * sample by itself against the reference. walk is zeroed. */
typedef struct conf_walk_task {
    const conf_location *location;
    const conf_sequence *sequence;
    conf_walk *walk;
} conf_walk_task;
void conf_walk_run(const void *context, conf_verdict *v);

/* context: a conf_replay_task. Finds the first divergence of the case as recorded; of an observation. */
typedef struct conf_replay_task {
    const conf_location *location;
    const conf_sequence *sequence;
    conf_divergence *divergence;
} conf_replay_task;
void conf_divergence_find(const void *context, conf_verdict *v);

/* Replays a sequence: CONF_PASSED where it agrees with the recorded truth (and of a greedy stream with the
 * next token), CONF_FAILED where not. */
void conf_sequence_replay(const void *context, conf_verdict *v);

/* The tokens of a sequence, prompt first; the caller frees *tokens. NULL: no memory. */
int32_t *conf_sequence_tokens(const conf_decoder *d, const conf_sequence *s, size_t *n);

/* The case that a sequence makes: one sample, and the rows of the truth that it is judged by. path and model
 * are borrowed from c; what else it holds conf_sequence_case_free frees, also where this fails for want of
 * memory. */
bool conf_sequence_case(const conf_case *c, const conf_sequence *s, conf_case *out);
void conf_sequence_case_free(conf_case *c);

/* What an observation has of the case's logits. rows: [R, V] like those of the case; NaN where !has[decode].
 */
typedef struct conf_observed {
    double *rows;
    bool has_prefill, has_decode;
    bool float64; /* the engine's type */
} conf_observed;

/* Fails as conf_h5_read does, where the shapes are not the case's, too. The caller frees out->rows. */
assay_status conf_observed_read(const conf_h5 *file, const conf_case *c, conf_observed *out,
                                assay_error *err);

/* Reports a walk: the table, then where and how. title: a line above the table, or NULL. Returns whether
 * something is out of bounds. */
bool conf_walk_print(const conf_context *context, const conf_walk *walk, const char *title);

/* The first row out of bounds; NULL if there is none. */
const conf_walk_row *conf_walk_first(const conf_walk *walk);

#endif
