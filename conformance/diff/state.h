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

/* A row of logits that was judged. number: of n_numbers in the order of the judge, which also numbers
 * padding. multiple: its largest error in units, of which bounds->limit agree; without a bound that is
 * CONF_UNJUDGED. error: the largest difference of two elements. largest: |logit| of all rows of the truth.
 * run: what gives the noise; of logits in float64 and of two observations its data is NULL. truth, found,
 * run: [n_cols]. */
typedef struct conf_diff_row {
    size_t number, n_numbers;
    conf_place place;
    double multiple, error, largest;
    const conf_bounds *bounds;
    conf_row truth, found, run;
    size_t n_cols;
} conf_diff_row;

/* A tensor that was compared. multiple: its largest error in `unit`, of which `limit` agree. has_noise: the
 * unit is of a noise that the case records, or of the bound of float64; otherwise it is an estimate, or
 * without a bound, and then limit is CONF_UNJUDGED. largest: |value| of the truth. */
typedef struct conf_diff_traced {
    const char *name;
    double multiple, unit, limit, largest;
    bool has_noise;
} conf_diff_traced;

/* Gets each row of logits that is judged, from several threads at once, and each tensor that is compared, in
 * the order of their names. */
typedef struct conf_diff_watch {
    void (*row)(void *context, const conf_diff_row *row);
    void (*tensor)(void *context, const conf_diff_traced *tensor);
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
    bool stored_noise;  /* the noise of the run that judges is stored in place of its logits */
    conf_bounds bounds; /* of the logits; without a truth, all zero but limit */
    double largest;     /* largest |logit| of the truth */
    assay_dtype stored; /* the type of the observed logits in the file */
} conf_diff_state;

#endif
