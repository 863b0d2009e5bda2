/* The list of blocks of a MobileNetV5 encoder.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_MOBILENET_BLOCKS_H
#define MODEL_FAMILIES_MOBILENET_BLOCKS_H

#include "model/families/parts/vision.h"

typedef enum mobilenet_kind { MOBILENET_EDGE, MOBILENET_INVERTED, MOBILENET_ATTENTION } mobilenet_kind;

/* What a block is made from; 0: it has no such part. */
typedef struct mobilenet_block {
    mobilenet_kind kind;
    size_t stage, index; /* of its names: blocks.STAGE.INDEX. */
    size_t stride, out;
    size_t kernel;          /* of an edge residual's convolution, and of the keys' */
    size_t start, mid, end; /* kernels of an inverted residual's depthwise convolutions */
    double ratio;           /* of its inner width to that of its input */
    size_t n_heads, head_dim, key_stride;
    bool has_no_skip;
} mobilenet_block;

typedef struct mobilenet_list {
    mobilenet_block *blocks; /* [n], owned */
    size_t n, n_stages;
} mobilenet_list;

/* The published list, or that of args (model_args.block_args; NULL: it is absent). Fails through the config's
 * reader, *out empty. */
void mobilenet_list_read(family_vision *v, config *args, mobilenet_list *out);

/* The multiple of 8 nearest to n, at least 8, and at least 0.9 · n (timm, make_divisible). */
size_t mobilenet_divisible(double n);

#endif
