/* The parts of a plan that not every model has. An engine states which of them it implements, and refuses a
 * plan that needs another one: a field that an engine does not know of must not be ignored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_FEATURE_H
#define MODEL_PLAN_FEATURE_H

#include <stdint.h>

#include "model/plan/plan.h"

/* Bits. A new field of the plan that changes the mathematics gets a bit here, and a row in feature.c. */
#define PLAN_WINDOW           (UINT64_C(1) << 0)
#define PLAN_SHARED_KEYS      (UINT64_C(1) << 1)
#define PLAN_VALUE_IS_KEY     (UINT64_C(1) << 2)
#define PLAN_NO_ROPE          (UINT64_C(1) << 3)
#define PLAN_HEAD_NORMS       (UINT64_C(1) << 4) /* of q, k or v, each head on its own */
#define PLAN_PROJECTION_NORMS (UINT64_C(1) << 5) /* of q or k, all heads together */
#define PLAN_NORM_OFFSET      (UINT64_C(1) << 6)
#define PLAN_SCORE_CAP        (UINT64_C(1) << 7)
#define PLAN_LOGIT_CAP        (UINT64_C(1) << 8)
#define PLAN_POST_NORMS       (UINT64_C(1) << 9) /* after mixer or MLP */
#define PLAN_NO_PRE_NORMS     (UINT64_C(1) << 10)
#define PLAN_EMBEDDING_SCALE  (UINT64_C(1) << 11)
#define PLAN_RESIDUAL_FACTOR  (UINT64_C(1) << 12)
#define PLAN_LOGIT_FACTOR     (UINT64_C(1) << 13)
#define PLAN_SPARSE_MLP       (UINT64_C(1) << 14)
#define PLAN_EXPERTS          (UINT64_C(1) << 15)
#define PLAN_LAYER_INPUTS     (UINT64_C(1) << 16)
#define PLAN_LAUREL           (UINT64_C(1) << 17)
#define PLAN_STREAMS          (UINT64_C(1) << 18)
#define PLAN_LAYER_SCALAR     (UINT64_C(1) << 19)
#define PLAN_PLACEHOLDERS     (UINT64_C(1) << 20)
#define PLAN_LAYER_NORMS      (UINT64_C(1) << 21) /* LayerNorm instead of RMSNorm */
#define PLAN_ROPE_AXES        (UINT64_C(1) << 22) /* ropes whose frequencies are divided among axes */
#define PLAN_BIASES           (UINT64_C(1) << 23) /* of matrices */
#define PLAN_BLOCKS           (UINT64_C(1) << 24) /* of tokens that attend to each other */
#define PLAN_TOWER            (UINT64_C(1) << 25) /* of images: see also plan_tower_features */
#define PLAN_GRID_POSITIONS   (UINT64_C(1) << 26)
#define PLAN_DELTA            (UINT64_C(1) << 27) /* gated delta nets */
#define PLAN_OUTPUT_GATE      (UINT64_C(1) << 28) /* of attention */
#define PLAN_SHARED_EXPERT    (UINT64_C(1) << 29) /* beside the chosen experts */
#define PLAN_PLAIN_MLP        (UINT64_C(1) << 30) /* without a gate, in a decoder layer */
#define PLAN_NORMS_AFTER_ROPE (UINT64_C(1) << 31)
#define PLAN_DOUBLED_ROPE     (UINT64_C(1) << 32) /* the two elements of a pair turn by different axes */
#define PLAN_IMAGE_POSITIONS  (UINT64_C(1) << 33) /* by the places of tokens in images, which are numbered */
#define PLAN_ID_TABLE         (UINT64_C(1) << 34) /* ids with an embedding of their own */
#define PLAN_AUDIO            (UINT64_C(1) << 51) /* a tower of sounds: see also plan_tower_features */
#define PLAN_SQUARED_GATE     (UINT64_C(1) << 54) /* of an MLP */
#define PLAN_SINKS            (UINT64_C(1) << 55) /* scores beside those of the keys */
#define PLAN_PLANE_ROPE       (UINT64_C(1) << 56)
#define PLAN_KV_REPEATS       (UINT64_C(1) << 57)
#define PLAN_BLOCK_POSITIONS  (UINT64_C(1) << 58)

#define PLAN_HEAD_BIAS   (UINT64_C(1) << 59)
#define PLAN_UP_OFFSET   (UINT64_C(1) << 60) /* of an MLP's second factor */
#define PLAN_ROUTER_BIAS (UINT64_C(1) << 61)
#define PLAN_PARALLEL    (UINT64_C(1) << 62) /* attention and MLP after one norm */
#define PLAN_HEAD_SCALES (UINT64_C(1) << 63) /* of queries and values */

#define PLAN_CHOICE_BIAS     (UINT64_C(1) << 40) /* added to the probabilities of experts to choose */
#define PLAN_SUM_FLOOR       (UINT64_C(1) << 41) /* of the sum that divides the probabilities of experts */
#define PLAN_OWN_EXPERTS     (UINT64_C(1) << 42) /* experts of the tokens of some ids */
#define PLAN_SIGMOIDS        (UINT64_C(1) << 43) /* of the scores of experts, instead of a softmax */
#define PLAN_GROUPS          (UINT64_C(1) << 44) /* of experts */
#define PLAN_SUM_OFFSET      (UINT64_C(1) << 45) /* of the sum that divides the probabilities of experts */
#define PLAN_SHARE_FACTOR    (UINT64_C(1) << 46) /* of the probabilities of chosen experts */
#define PLAN_CROSS           (UINT64_C(1) << 47) /* layers that attend to images */
#define PLAN_RESIDUAL_GATES  (UINT64_C(1) << 48) /* by tanh of a number */
#define PLAN_MORE_EMBEDDINGS (UINT64_C(1) << 49) /* than the head has rows */

/* The parts of a tower that not every tower has. */
#define PLAN_TOWER_RASTER        (UINT64_C(1) << 0) /* patches row by row instead of in blocks */
#define PLAN_TOWER_CHANNELS_LAST (UINT64_C(1) << 1)
#define PLAN_TOWER_PIXEL_SCALE   (UINT64_C(1) << 2)
#define PLAN_TOWER_IN_NORM       (UINT64_C(1) << 3)
#define PLAN_TOWER_BILINEAR      (UINT64_C(1) << 4)
#define PLAN_TOWER_BICUBIC       (UINT64_C(1) << 5)
#define PLAN_TOWER_AXES_TABLE    (UINT64_C(1) << 6)
#define PLAN_TOWER_ROPE          (UINT64_C(1) << 7)
#define PLAN_TOWER_ROPE_QUARTERS (UINT64_C(1) << 8)
#define PLAN_TOWER_WINDOWS       (UINT64_C(1) << 9)
#define PLAN_TOWER_POST_NORMS    (UINT64_C(1) << 10) /* after mixer or MLP, or the last layer */
#define PLAN_TOWER_HEAD_NORMS    (UINT64_C(1) << 11)
#define PLAN_TOWER_POOLING       (UINT64_C(1) << 12)
#define PLAN_TOWER_STANDARDISED  (UINT64_C(1) << 13)
#define PLAN_TOWER_DEEPSTACK     (UINT64_C(1) << 14)
#define PLAN_TOWER_CLIPS         (UINT64_C(1) << 15)
#define PLAN_TOWER_VIDEOS        (UINT64_C(1) << 16)

/* Steps of mergers, and norms after their products. */
#define PLAN_TOWER_MERGER_CONVOLUTION (UINT64_C(1) << 17) /* blocks joined channel by channel */
#define PLAN_TOWER_MERGER_NORMS       (UINT64_C(1) << 18)
#define PLAN_TOWER_MERGER_MLP         (UINT64_C(1) << 19)
#define PLAN_TOWER_MERGER_REPEAT      (UINT64_C(1) << 20)
#define PLAN_TOWER_MERGER_VECTORS     (UINT64_C(1) << 40) /* rows of the checkpoint between those of an image */

/* Of the towers of sounds. */
#define PLAN_TOWER_SOUND     (UINT64_C(1) << 55) /* convolutions over a spectrogram */
#define PLAN_TOWER_SINUSOIDS (UINT64_C(1) << 56) /* as positions */
/* Of towers for tiles. */
#define PLAN_TOWER_TILES     (UINT64_C(1) << 43)
#define PLAN_TOWER_GATES     (UINT64_C(1) << 44) /* of residuals */
#define PLAN_TOWER_COLLECTED (UINT64_C(1) << 45) /* states of earlier layers beside the last */
#define PLAN_TOWER_SECOND    (UINT64_C(1) << 46) /* a second part, behind a norm and a table of tiles */

/* Parts of convolutional towers. */
#define PLAN_TOWER_CONV           (UINT64_C(1) << 47)
#define PLAN_TOWER_CONV_ATTENTION (UINT64_C(1) << 48)
#define PLAN_TOWER_CONV_KEYS      (UINT64_C(1) << 49) /* convolutions of keys and values */
#define PLAN_TOWER_CONV_SCALES    (UINT64_C(1) << 50)

#define PLAN_TOWER_LEADING (UINT64_C(1) << 62) /* placeholder tokens before those of features */
#define PLAN_TOWER_CROPS   (UINT64_C(1) << 63)

/* The last of those PLAN_TOWER_* that follow each other. */
#define PLAN_TOWER_LAST PLAN_TOWER_MERGER_REPEAT

/* The features that a plan needs. */
uint64_t plan_features(const plan *p);
/* Those that a tower needs, PLAN_TOWER_*; 0 without a tower. */
uint64_t plan_tower_features(const plan_tower *tower);

/* Fails with ASSAY_EUNSUPPORTED if the plan needs a feature that is not among `implemented`, or one of its
 * towers one that is not among tower_implemented (PLAN_TOWER_*), and names it and the engine. */
assay_status plan_check_features(const plan *p, uint64_t implemented, uint64_t tower_implemented,
                                 const char *engine, assay_error *err);

#endif
