/* The weights of two plans, paired by their places.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_WEIGHT_H
#define CONFORMANCE_WEIGHTS_WEIGHT_H

#include "model/plan/plan.h"

enum { CONF_PLACE_MAX = 96 };

/* A weight of a plan. added: what the model adds to every number of it. */
typedef struct conf_weight {
    char place[CONF_PLACE_MAX];
    const plan_weight *is; /* borrowed from the plan */
    double added;
    const double *row_factor,
        *column_factor; /* [rows], [cols]: what its numbers are multiplied by; or NULL */
    bool is_tied;       /* it is the embedding */
} conf_weight;

typedef struct conf_weight_list {
    conf_weight *at;
    size_t n;
} conf_weight_list;

/* The weights of p in its order, those that it lacks included. The caller frees
 * out->at. Fails with ASSAY_ENOMEM. */
assay_status conf_weights_of(const plan *p, conf_weight_list *out, assay_error *err);

/* Writes rows first … first + n - 1 of the weight, [n, cols], with what the model adds to them, times its
 * factors. */
void conf_weight_rows(const conf_weight *w, size_t first, size_t n, double *out);

/* Writes n rows of a description, as conf_weight_rows does. */
void conf_stored_rows(const assay_stored *s, size_t first, size_t n, double *out);

#endif
