/* What is known of two checkpoints of one model, weight by weight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_COMPARISON_H
#define CONFORMANCE_WEIGHTS_COMPARISON_H

#include "conformance/weights/explain.h"
#include "conformance/weights/measure.h"

typedef enum conf_weight_state {
    CONF_WEIGHT_SOUND,
    CONF_WEIGHT_WRONG,   /* other values than the format explains */
    CONF_WEIGHT_MISSING, /* in the original alone */
    CONF_WEIGHT_ADDED,   /* in the other alone */
    CONF_WEIGHT_SHAPE    /* another shape */
} conf_weight_state;

typedef struct conf_weight_pair {
    conf_weight original, stored;
    conf_weight_state state;
    conf_weight_error error;          /* of pairs of one shape */
    char scaled_with[CONF_PLACE_MAX]; /* the place of a weight with which it shares moved scales (fold.h); or
                                         "" */
    char fault[CONF_FAULT_MAX];       /* what is wrong, if a cause was found; otherwise empty */
} conf_weight_pair;

/* What is known of the weights in one format. */
typedef struct conf_weight_format {
    const char *name;
    size_t n, n_wrong;
    double rmse, best, multiple; /* the largest of each */
} conf_weight_format;

/* Scales to which weights point. */
typedef struct conf_weight_scales {
    struct conf_weight_scales *next;
    double at[];
} conf_weight_scales;

typedef struct conf_weight_comparison {
    conf_weight_pair *pairs; /* [n], those that are not sound first, the worst first */
    size_t n, n_wrong;
    conf_weight_format *formats; /* [n_formats], by the number of weights */
    size_t n_formats;
    conf_weight_scales *scales;
} conf_weight_comparison;

#endif
