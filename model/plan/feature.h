/* The parts of a plan that not every model has. An engine states which of them it implements, and refuses a
 * plan that needs another one: a field that an engine does not know of must not be ignored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_FEATURE_H
#define MODEL_PLAN_FEATURE_H

#include <stdint.h>

#include "model/plan/plan.h"

/* A new field of the plan that changes the mathematics gets a bit here, and a row in feature.c. */
typedef enum plan_feature {
    PLAN_WINDOW = 1 << 0,
    PLAN_SHARED_KEYS = 1 << 1,
    PLAN_VALUE_IS_KEY = 1 << 2,
    PLAN_NO_ROPE = 1 << 3,
    PLAN_HEAD_NORMS = 1 << 4,       /* of q, k or v, each head on its own */
    PLAN_PROJECTION_NORMS = 1 << 5, /* of q or k, all heads together */
    PLAN_NORM_OFFSET = 1 << 6,
    PLAN_SCORE_CAP = 1 << 7,
    PLAN_LOGIT_CAP = 1 << 8,
    PLAN_POST_NORMS = 1 << 9, /* after mixer or MLP */
    PLAN_NO_PRE_NORMS = 1 << 10,
    PLAN_EMBEDDING_SCALE = 1 << 11,
    PLAN_RESIDUAL_FACTOR = 1 << 12,
    PLAN_LOGIT_FACTOR = 1 << 13,
    PLAN_SPARSE_MLP = 1 << 14,
    PLAN_EXPERTS = 1 << 15,
    PLAN_LAYER_INPUTS = 1 << 16,
    PLAN_LAUREL = 1 << 17,
    PLAN_STREAMS = 1 << 18,
    PLAN_LAYER_SCALAR = 1 << 19,
    PLAN_PLACEHOLDERS = 1 << 20,
    PLAN_LAYER_NORMS = 1 << 21, /* LayerNorm instead of RMSNorm */
    PLAN_ROPE_AXES = 1 << 22,   /* ropes whose frequencies are divided among three axes */
    PLAN_BIASES = 1 << 23,      /* of matrices */
    PLAN_BLOCKS = 1 << 24,      /* of tokens that attend to each other */
    PLAN_TOWER = 1 << 25,       /* of images: see also plan_tower_features */
    PLAN_GRID_POSITIONS = 1 << 26,
    PLAN_DELTA = 1 << 27,         /* gated delta nets */
    PLAN_OUTPUT_GATE = 1 << 28,   /* of attention */
    PLAN_SHARED_EXPERT = 1 << 29, /* beside the chosen experts */
    PLAN_PLAIN_MLP = 1 << 30      /* without a gate, in a decoder layer */
} plan_feature;

/* The parts of a tower that not every tower has. */
typedef enum plan_tower_feature {
    PLAN_TOWER_RASTER = 1 << 0, /* patches row by row instead of in blocks */
    PLAN_TOWER_CHANNELS_LAST = 1 << 1,
    PLAN_TOWER_PIXEL_SCALE = 1 << 2,
    PLAN_TOWER_IN_NORM = 1 << 3,
    PLAN_TOWER_BILINEAR = 1 << 4,
    PLAN_TOWER_BICUBIC = 1 << 5,
    PLAN_TOWER_AXES_TABLE = 1 << 6,
    PLAN_TOWER_ROPE = 1 << 7,
    PLAN_TOWER_ROPE_QUARTERS = 1 << 8,
    PLAN_TOWER_WINDOWS = 1 << 9,
    PLAN_TOWER_POST_NORMS = 1 << 10, /* after mixer or MLP, or the last layer */
    PLAN_TOWER_HEAD_NORMS = 1 << 11,
    PLAN_TOWER_POOLING = 1 << 12,
    PLAN_TOWER_STANDARDISED = 1 << 13,
    PLAN_TOWER_DEEPSTACK = 1 << 14,
    PLAN_TOWER_CLIPS = 1 << 15,
    PLAN_TOWER_VIDEOS = 1 << 16
} plan_tower_feature;

/* The features that a plan needs: bits of plan_feature. */
uint32_t plan_features(const plan *p);
/* Bits of plan_tower_feature; 0 without a tower. */
uint32_t plan_tower_features(const plan_tower *tower);

/* Fails with ASSAY_EUNSUPPORTED if the plan needs a feature that is not among `implemented`, or its tower one
 * that is not among tower_implemented (bits of plan_tower_feature), and names it and the engine. */
assay_status plan_check_features(const plan *p, uint32_t implemented, uint32_t tower_implemented,
                                 const char *engine, assay_error *err);

#endif
