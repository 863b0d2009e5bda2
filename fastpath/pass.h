/* One pass through the layers, over rows of any number of samples. R: rows of the pass.
 *
 * Every operation computes each row independently, so that results are batch-invariant. Only attention
 * reads more than its row: the caches of its sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PASS_H
#define FASTPATH_PASS_H

#include "fastpath/features.h"
#include "fastpath/model.h"
#include "fastpath/scratch.h"
#include "fastpath/trace.h"

/* The features that replace a token's embedding; NULL: the token keeps its own. row: of the features. */
typedef struct fp_placed {
    const fp_features *features;
    size_t row;
} fp_placed;

struct fp_cross_keys; /* fastpath/cross_keys.h, which needs a pass */

/* The rows of fp_cross_keys that a token attends to: first … end - 1. has_image: it sees an image. */
typedef struct fp_sight {
    size_t first, end;
    bool has_image;
} fp_sight;

/* Consecutive rows of the pass that belong to one sample. Row first_row + i is token state->n_tokens + i of
 * the sample (fp_run_position): its place in caches and masks, and where the ropes turn it, unless positions
 * say otherwise. No block of the plan begins before the rows or ends after them: the keys that a row of a
 * block attends to are those of earlier passes and of this one. */
typedef struct fp_run {
    fp_state *state;          /* advanced by the caller, after the pass */
    const int32_t *tokens;    /* [n_rows], checked: within the vocabulary */
    const int32_t *positions; /* [n_rows, ROPE_AXES_MAX]; NULL: their indices */
    const fp_placed *placed;  /* [n_rows]; NULL: no token has features */
    const struct fp_cross_keys
        *cross;            /* of the sample's images; NULL: it has none, or no layer attends to them */
    const fp_sight *sight; /* [n_rows], where there is cross */
    size_t first_row, n_rows;
    size_t sample;   /* its slot, for a tracer */
    size_t n_image;  /* plan_sequence, of the sample from its first token on */
    size_t length;   /* largest position of the whole sequence + 1; RoPE frequencies may depend on it */
    size_t n_logits; /* number of last rows whose logits are wanted */
    float *logits;   /* [n_logits, vocab], owned by the caller */
} fp_run;

typedef struct fp_pass {
    const fp_model *model;
    const plan *plan;
    fp_scratch *scratch;
    fp_tracer tracer; /* set only if the pass is the whole steps of its samples */
    fp_run *runs;
    size_t n_runs, n_rows;
    bool *has_own;      /* [R], whether a row's token has experts of its own; NULL: none has */
    size_t *block_last; /* [R], index of the last token of the row's block; NULL: the plan has no blocks */
    float **cosine, **sine;           /* [n_ropes] of [R, rope_n_angles] */
    float *plane_cosine, *plane_sine; /* [R, n_heads, dim / 2] of the plane rope; NULL: no row turns */
    float *layer_inputs;              /* [R, n_layers, P], or NULL */
    void *narrow;                     /* buffer for R input rows of any matrix in a narrower type */
    float *ordered;                   /* [R, n_in of any matrix], for rows in the order of its columns */
} fp_pass;

static inline size_t fp_run_position(const fp_run *run, size_t row)
{
    return run->state->n_tokens + (row - run->first_row);
}

#endif
