/* The parts of a plan that not every model has. An engine states which of them it lacks, and refuses a plan
 * that needs one of these.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_FEATURE_H
#define MODEL_PLAN_FEATURE_H

#include "model/plan/plan.h"

/* A new field of the plan that changes the mathematics gets a feature here and its name in feature.c. An
 * engine that does not implement it yet adds it to those that it lacks. */
typedef enum plan_feature {
    /* Of the decoder. */
    FEATURE_SLIDING_WINDOW,
    FEATURE_KV_SHARING,
    FEATURE_VALUE_IS_KEY,
    FEATURE_NOPE,
    FEATURE_HEAD_NORMS,
    FEATURE_HEAD_NORM_WEIGHTS,
    FEATURE_PROJECTION_NORMS,
    FEATURE_NORM_OFFSET,
    FEATURE_ATTENTION_SOFTCAP,
    FEATURE_LOGIT_SOFTCAP,
    FEATURE_POST_NORMS,
    FEATURE_NO_PRE_NORMS,
    FEATURE_EMBEDDING_SCALE,
    FEATURE_RESIDUAL_MULTIPLIER,
    FEATURE_LOGIT_SCALE,
    FEATURE_ACTIVATION_SPARSITY,
    FEATURE_EXPERTS,
    FEATURE_PER_LAYER_EMBEDDINGS,
    FEATURE_LAUREL,
    FEATURE_ALTUP,
    FEATURE_LAYER_SCALAR,
    FEATURE_PLACEHOLDERS,
    FEATURE_LAYER_NORM,
    FEATURE_MROPE,
    FEATURE_BIASES,
    FEATURE_BLOCKS,
    FEATURE_VISION,
    FEATURE_GRID_POSITIONS,
    FEATURE_DELTA,
    FEATURE_OUTPUT_GATE,
    FEATURE_SHARED_EXPERT,
    FEATURE_PLAIN_MLP,
    FEATURE_NORMS_AFTER_ROPE,
    FEATURE_XDROPE,
    FEATURE_XDROPE_POSITIONS,
    FEATURE_ID_TABLE,
    FEATURE_AUDIO,
    FEATURE_SQUARED_GATE,
    FEATURE_ATTENTION_SINKS,
    FEATURE_PLANE_ROPE,
    FEATURE_KV_REPEATS,
    FEATURE_BLOCK_POSITIONS,
    FEATURE_HEAD_BIAS,
    FEATURE_UP_OFFSET,
    FEATURE_GATE_LIMIT,
    FEATURE_GATE_SLOPE,
    FEATURE_EXPERT_BIASES,
    FEATURE_QUERY_FACTOR,
    FEATURE_ROUTER_BIAS,
    FEATURE_PARALLEL,
    FEATURE_HEAD_SCALES,
    FEATURE_SELECTION_BIAS,
    FEATURE_ROUTING_SUM_FLOOR,
    FEATURE_MODALITY_EXPERTS,
    FEATURE_SIGMOID_ROUTING,
    FEATURE_GROUP_ROUTING,
    FEATURE_ROUTING_SUM_OFFSET,
    FEATURE_ROUTING_SCALE,
    FEATURE_CROSS_ATTENTION,
    FEATURE_RESIDUAL_GATES,
    FEATURE_MORE_EMBEDDINGS,
    /* Of a tower, of images or of audio. */
    FEATURE_TOWER_RASTER, /* not in blocks of merged patches */
    FEATURE_TOWER_CHANNELS_LAST,
    FEATURE_TOWER_PIXEL_SCALE,
    FEATURE_TOWER_IN_NORM,
    FEATURE_TOWER_BILINEAR,
    FEATURE_TOWER_BICUBIC,
    FEATURE_TOWER_AXES_TABLE,
    FEATURE_TOWER_ROPE,
    FEATURE_TOWER_ROPE_QUARTERS,
    FEATURE_TOWER_WINDOWS,
    FEATURE_TOWER_POST_NORMS,
    FEATURE_TOWER_HEAD_NORMS,
    FEATURE_TOWER_POOLING,
    FEATURE_TOWER_STANDARDISED,
    FEATURE_TOWER_DEEPSTACK,
    FEATURE_TOWER_CLAMPS,
    FEATURE_TOWER_VIDEOS,
    FEATURE_TOWER_MERGER_CONVOLUTION, /* as a convolution joins them */
    FEATURE_TOWER_MERGER_NORMS,
    FEATURE_TOWER_MERGER_MLP,
    FEATURE_TOWER_MERGER_REPEAT,
    FEATURE_TOWER_MERGER_VECTORS,
    FEATURE_TOWER_SPECTROGRAM,
    FEATURE_TOWER_SINUSOIDS,
    FEATURE_TOWER_TILES,
    FEATURE_TOWER_GATES,
    FEATURE_TOWER_COLLECTED,
    FEATURE_TOWER_GLOBAL,
    FEATURE_TOWER_CONV,
    FEATURE_TOWER_CONV_ATTENTION,
    FEATURE_TOWER_CONV_KEYS,
    FEATURE_TOWER_CONV_SCALES,
    FEATURE_TOWER_LEADING,
    FEATURE_TOWER_CROPS,
    PLAN_N_FEATURES
} plan_feature;

typedef struct plan_feature_set {
    bool has[PLAN_N_FEATURES];
} plan_feature_set;

/* The features that a plan needs, those of its towers included. */
plan_feature_set plan_features(const plan *p);

/* The name of a feature, for messages: "attention sinks". */
const char *plan_feature_name(plan_feature feature);

/* Fails with ASSAY_EUNSUPPORTED if the plan needs a feature that the engine lacks, and names both. */
assay_status plan_check_features(const plan *p, const plan_feature_set *lacked, const char *engine,
                                 assay_error *err);

#endif
