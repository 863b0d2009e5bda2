/* The parts of a comparison; for diff.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_PARTS_H
#define CONFORMANCE_DIFF_PARTS_H

#include "conformance/diff/diff.h"
#include "conformance/hdf5/stream.h"
#include "conformance/judge/judge.h"

/* One of prefill and decode. found NULL: missing, or of another type or shape than can be compared. */
typedef struct conf_diff_run {
    conf_stream *truth, *noise, *found;
} conf_diff_run;

enum { CONF_RUN_PREFILL, CONF_RUN_DECODE, CONF_N_RUNS };

typedef struct conf_diff_state {
    conf_h5 *golden, *observed;
    const conf_case *c; /* NULL: two observations */
    unsigned parts;
    size_t n_workers;
    conf_verdict *v;
    conf_diff_run runs[CONF_N_RUNS];
    conf_bounds bounds; /* of the logits; all zero but limit where there is no truth */
    double largest;     /* of the truth's logits */
    assay_dtype stored; /* the type of the observed logits in the file */
} conf_diff_state;

/* Opens the logits of both files, and sets the bounds where logits or tokens are judged. An observation may
 * lack logits that are not judged. */
assay_status conf_diff_open(conf_diff_state *d, assay_error *err);

/* Compare parts of an observation with the golden's, after conf_diff_open; what diverges goes into d->v. */
assay_status conf_diff_logits(conf_diff_state *d, assay_error *err);
assay_status conf_diff_tokens(conf_diff_state *d, assay_error *err);
assay_status conf_diff_traces(conf_diff_state *d, assay_error *err);

/* Two observations as a whole. */
assay_status conf_diff_pair(conf_diff_state *d, assay_error *err);

/* Compares the member `name`, which the observation has, with the types and the shape (as conf_shape_print
 * prints it) that are expected. mismatch: how it differs; empty where it fits. Fails where it cannot be read.
 */
assay_status conf_diff_member_compare(const conf_diff_state *d, const char *name, conf_h5_types types,
                                      const char *shape, char mismatch[CONF_TEXT_MAX], assay_error *err);

/* The same; a member that does not fit fails d->v. */
assay_status conf_diff_member_check(const conf_diff_state *d, const char *name, conf_h5_types types,
                                    const char *shape, bool *fits, assay_error *err);

#define CONF_DIFF_NAMES_MAX 256

/* Writes "embed, norm and 7 more": the first of the names of a that b lacks; empty where there are none. Both
 * are sorted bytewise. Returns how many there are. */
size_t conf_diff_names_lacking(char text[CONF_DIFF_NAMES_MAX], const conf_strings *a, const conf_strings *b);

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
