/* The parts of a comparison; for diff.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_PARTS_H
#define CONFORMANCE_DIFF_PARTS_H

#include "conformance/diff.h"
#include "conformance/h5_stream.h"
#include "conformance/judge.h"

/* One of prefill and decode. found NULL: missing, or of another type or shape than can be compared. */
typedef struct conf_diff_run {
    conf_stream *truth, *noise, *found;
} conf_diff_run;

enum { CONF_RUN_PREFILL, CONF_RUN_DECODE, CONF_N_RUNS };

typedef struct conf_diff_state {
    conf_h5 *golden, *observed;
    const conf_case *c; /* NULL: two observations */
    size_t n_workers;
    conf_verdict *v;
    conf_diff_run runs[CONF_N_RUNS];
    conf_bounds bounds; /* of the logits; all zero but limit where there is no truth */
    double largest;     /* of the truth's logits */
} conf_diff_state;

/* Compare parts of an observation with the golden's; what diverges goes into d->v. */
assay_status conf_diff_logits(conf_diff_state *d, assay_error *err);
assay_status conf_diff_tokens(conf_diff_state *d, assay_error *err);
assay_status conf_diff_traces(conf_diff_state *d, assay_error *err);

/* Two observations as a whole. */
assay_status conf_diff_pair(conf_diff_state *d, assay_error *err);

/* Whether the member `name` of the observation is there, of one of the types (NULL-terminated names) and of
 * the shape [rank]; if not, says so in d->v. Fails where it cannot be read. */
assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, const char *const *types,
                                    size_t rank, const size_t *shape, bool *fits, assay_error *err);

/* "F64", "F32": what logits and tensors may be. */
extern const char *const conf_diff_float_types[];

/* The worst element of a tensor, in units, and the values there. */
typedef struct conf_diff_tensor {
    conf_tensor_judgement worst;
    double expected, found;
} conf_diff_tensor;

/* The largest |value| of s, all of which must be finite where `finite` is set. */
assay_status conf_diff_largest(const conf_diff_state *d, conf_stream *s, bool finite, double *largest,
                               assay_error *err);

/* truth and found are of the same shape. */
assay_status conf_diff_tensor_judge(const conf_diff_state *d, conf_stream *truth, conf_stream *found,
                                    double unit, conf_diff_tensor *out, assay_error *err);

#endif
