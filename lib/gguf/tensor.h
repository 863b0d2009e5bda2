/* A tensor of a GGUF file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_TENSOR_H
#define GGUF_TENSOR_H

#include "gguf/types.h"

#include <stddef.h>

#define GGUF_DIMS_MAX 4

/* name: UTF-8 without control characters, 1 to 255 bytes.
 * ne: extents, the first one contiguous: a matrix of N rows and K columns has ne = K, N, 1, 1. Each is at
 * least 1; those beyond n_dims are 1; ne[0] is a multiple of type->block. data: [n_bytes], in the mapping,
 * aligned to 8 bytes at least. */
typedef struct gguf_tensor {
    const char *name;
    size_t n_dims;
    size_t ne[GGUF_DIMS_MAX];
    const gguf_type *type;
    const void *data;
    size_t n_bytes;
    size_t part; /* which of gguf_part_path's files holds it */
} gguf_tensor;

#endif
