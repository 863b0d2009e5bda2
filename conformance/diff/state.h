/* State of a comparison.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_STATE_H
#define CONFORMANCE_DIFF_STATE_H

#include "conformance/case/case.h"
#include "conformance/hdf5/rows.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/verdict.h"

/* Parts of an observation, bits of a set. */
enum { CONF_DIFF_LOGITS = 1, CONF_DIFF_TOKENS = 2, CONF_DIFF_TRACES = 4, CONF_DIFF_ALL = 7 };

/* Gets the error of each row of logits, and of each tensor whose noise was recorded, in units of its bound.
 * Of several threads, one calls at a time. */
typedef struct conf_diff_watch {
    void (*row)(void *context, double multiple);
    void (*tensor)(void *context, double multiple);
    void *context;
} conf_diff_watch;

/* One of prefill and decode. found NULL: missing, or its type or shape cannot be compared. */
typedef struct conf_diff_run {
    conf_h5_rows *truth, *noise, *found;
} conf_diff_run;

enum { CONF_RUN_PREFILL, CONF_RUN_DECODE, CONF_N_RUNS };

typedef struct conf_diff_state {
    conf_h5 *golden, *observed;
    const conf_case *c; /* NULL: two observations */
    unsigned parts;     /* to judge */
    unsigned left_out;  /* that the case could judge, and that are not asked for */
    size_t n_workers;
    const conf_diff_watch *watch; /* NULL: none */
    conf_verdict *v;
    conf_diff_run runs[CONF_N_RUNS];
    conf_bounds bounds; /* of the logits; without a truth, all zero but limit */
    double largest;     /* largest |logit| of the truth */
    assay_dtype stored; /* the type of the observed logits in the file */
} conf_diff_state;

#endif
