/* A merger: from the rows of patches to rows that replace the embeddings of placeholder tokens, step by step.
 *
 * Notation: D width of the tower, m side of a block of merged patches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_MERGER_H
#define MODEL_PLAN_MERGER_H

#include "model/plan/parts.h"

typedef enum plan_merger_kind {
    PLAN_MERGER_NORM,        /* over each row */
    PLAN_MERGER_CONCATENATE, /* the m² rows of a block, row by row, become one row; once, unless m is 1 */
    PLAN_MERGER_LINEAR,
    PLAN_MERGER_ACTIVATION, /* of every element */
    PLAN_MERGER_MLP,
    PLAN_MERGER_REPEAT,   /* a row, and the same row after it, become one row: a still image in a model that
                             merges two frames */
    PLAN_MERGER_ROW_ENDS, /* a vector after the rows of each row of merged patches; once, after CONCATENATE */
    PLAN_MERGER_ENDS      /* a vector before all rows of an image, and another one after them; once, after
                             CONCATENATE and ROW_ENDS */
} plan_merger_kind;

/* One step: each row of its result depends on one row of its input, or on the rows of one block, or is a
 * vector of the checkpoint. */
typedef struct plan_merger_step {
    plan_merger_kind kind;
    union {
        plan_norm norm;
        /* of PLAN_MERGER_CONCATENATE: the m² values of each of the D channels follow each other, as for a
         * convolution of m × m with stride m; otherwise whole rows do */
        bool channels_first;
        plan_linear linear;
        assay_activation activation;
        plan_mlp mlp;
        plan_weight row_end; /* [width] */
        struct {
            plan_weight begin, end; /* [width] */
        };
    };
} plan_merger_step;

enum { PLAN_MERGER_STEPS_MAX = 16 };

typedef struct plan_merger {
    size_t n_steps;
    plan_merger_step steps[PLAN_MERGER_STEPS_MAX];
} plan_merger;

/* The width of the rows after a step, from that before it. */
size_t plan_merger_step_width(const plan_merger_step *step, size_t width, size_t merge);

/* The width of the result for a tower of width `hidden`. */
size_t plan_merger_width(const plan_merger *merger, size_t hidden, size_t merge);

/* Whether a step adds rows to those of an image. */
static inline bool plan_merger_adds_rows(const plan_merger_step *step)
{
    return step->kind == PLAN_MERGER_ROW_ENDS || step->kind == PLAN_MERGER_ENDS;
}

/* How many vectors a merger adds to the rows of an image: after each row of merged patches, and at its begin,
 * of which there are as many as at its end. */
typedef struct plan_merger_extra {
    size_t row_end, begin; /* 0 or 1 */
} plan_merger_extra;

plan_merger_extra plan_merger_extra_rows(const plan_merger *merger);

/* The linears of a step: how many, and the i-th of them. */
size_t plan_merger_linears(const plan_merger_step *step);
const plan_linear *plan_merger_linear(const plan_merger_step *step, size_t i);

#endif
