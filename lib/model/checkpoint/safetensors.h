/* One safetensors file, mapped read-only. The header is untrusted input: it is checked completely before any
 * tensor is read, and an invalid file is refused with the reason (format: the safetensors repository's
 * README, "Format").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_SAFETENSORS_H
#define MODEL_CHECKPOINT_SAFETENSORS_H

#include <assay/engine.h>

/* The longest header that the published library accepts. */
#define SAFETENSORS_HEADER_MAX ((size_t)100000000)

typedef struct safetensors safetensors;

/* Maps `path` and reads its header. Every tensor of *out lies inside the file, no two overlap, there are no
 * gaps between them, names are unique and UTF-8, and shapes agree with byte counts: every product of extents
 * that are not zero, times the element's size, fits into size_t. Fails with ASSAY_EIO, ASSAY_EFORMAT,
 * ASSAY_EUNSUPPORTED (a type of the format outside assay_dtype, by name; a rank above ASSAY_TENSOR_RANK_MAX)
 * or ASSAY_ENOMEM. */
assay_status safetensors_open(const char *path, safetensors **out, assay_error *err);
void safetensors_free(safetensors *file);

/* Tensors in the order of their bytes; data points into the mapping and may be unaligned. */
size_t safetensors_count(const safetensors *file);
const assay_tensor *safetensors_at(const safetensors *file, size_t index);
const char *safetensors_path(const safetensors *file);

/* Bytes of the data of a tensor that safetensors_open has accepted. */
size_t safetensors_bytes(const assay_tensor *tensor);

#endif
