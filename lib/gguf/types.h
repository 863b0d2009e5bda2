/* The types of a GGUF file's tensors: how many bytes a block of elements takes. What the bytes mean is not
 * said here.
 *
 * Source: ggml 0.25.3, ggml/include/ggml.h (enum ggml_type), ggml/src/ggml-common.h (the blocks) and
 * ggml/src/ggml-cpu/ggml-cpu.c (vec_dot_type of type_traits_cpu, the types of inputs).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_TYPES_H
#define GGUF_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* The longest block, in bytes. */
#define GGUF_BLOCK_BYTES_MAX 292

typedef struct gguf_type {
    const char *name;
    size_t block;   /* elements of a block, all of one row */
    size_t n_bytes; /* bytes of a block; 0: the format has removed the type */
    uint32_t id;
    const char *inputs; /* the type to which ggml rounds inputs of products with it; NULL: there is none */
} gguf_type;

/* The type of this id; NULL if the format has never had one. */
const gguf_type *gguf_type_of(uint32_t id);

/* The table: [*n], in the order of ids. */
const gguf_type *gguf_types(size_t *n);

#endif
