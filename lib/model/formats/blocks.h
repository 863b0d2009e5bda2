/* The blocks of GGUF's tensor types as stored matrices: a row a type (ggml 0.25.3, ggml/src/ggml-common.h and
 * ggml-quants.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_BLOCKS_H
#define MODEL_FORMATS_BLOCKS_H

#include "gguf/types.h"
#include "model/numerics/layouts.h"

/* Whether tensors of the type are blocks of codes: not plain numbers. */
bool blocks_is_coded(const gguf_type *type);

/* Whether their values are known here: those of IQ1 to IQ3 and of TQ1_0, which have codebooks or digits of
 * base 3, are not. */
bool blocks_is_known(const gguf_type *type);

/* The matrix [rows, cols] at `data`, cols a multiple of type->block. scale: NULL, or a float by which its
 * values are multiplied (the tensor X.scale of NVFP4). False: out of memory. */
bool blocks_describe(const gguf_type *type, const void *data, const void *scale, size_t rows, size_t cols,
                     layout_list *all, assay_stored *out);

#endif
