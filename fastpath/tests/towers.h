/* Vision towers of any shape with drawn weights, without a checkpoint, for tests and benchmarks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_TOWERS_H
#define FASTPATH_TESTS_TOWERS_H

#include "fastpath/model.h"
#include "model/inputs/media_list.h"

/* What a tower has. Sizes as in plan_tower; 0 or false: none. */
typedef struct tower_shape {
    size_t hidden, n_layers, n_heads, n_kv_heads, head_dim, intermediate;
    size_t patch, frames, merge, pool, text_hidden, window,
        full_every; /* full_every: layers without windows */
    plan_patch_order order;
    plan_norm_kind norm;
    plan_table_kind table;
    bool aligns_corners;
    size_t table_side;
    bool has_rope, has_quarters, is_gated, has_biases, channels_last, has_post_norms, has_head_norms,
        has_clips;
    bool has_in_norm, is_standardised, norm_is_last;
    bool is_deep; /* mergers join blocks channel by channel, and have a norm, an MLP and repeated rows, too */
    bool adds_rows; /* its merger has vectors after rows of blocks and around an image; it takes no videos */
    bool is_quantised; /* matrices are stored in groups of codes, if their inputs are whole groups */
    assay_activation activation;
    size_t n_deepstack;  /* of the first layers */
    double weight_scale; /* standard deviation of a weight times the square root of its inputs; 0: 1 */
} tower_shape;

/* A model that consists of a tower. Sessions cannot use it. */
fp_model *towers_open(const tower_shape *shape, assay_dtype compute, size_t n_workers);
void towers_free(fp_model *m);

/* An image or video of t frames, h x w patches, with drawn pixels; the caller releases it. */
const medium *towers_medium(const fp_model *m, size_t t, size_t h, size_t w, unsigned seed);

/* A number in -1 … 1: pixel i of the seed N has the name "pixels.N". */
double towers_number(const char *name, size_t i);

/* Element i of a weight: what the model was built with. */
double towers_weight(const plan_weight *w, size_t i);

#endif
