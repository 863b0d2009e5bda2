/* The header of a safetensors file: parses its JSON text, an untrusted input, to tensors. For safetensors.c
 * only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_SAFETENSORS_HEADER_H
#define MODEL_CHECKPOINT_SAFETENSORS_HEADER_H

#include <assay/engine.h>

/* tensors: [n], in the order of the header; names: the buffer that their names point into. Both owned. */
typedef struct safetensors_header {
    assay_tensor *tensors;
    size_t n;
    char *names;
} safetensors_header;

/* Parses text[0..n) and points the tensors at data[0..n_data), the file's bytes after the header, which are
 * not read. The result does not point into text. `path` is for messages. Fails as safetensors_open does. */
assay_status safetensors_header_parse(const char *path, const char *text, size_t n, const unsigned char *data,
                                      size_t n_data, safetensors_header *out, assay_error *err);

/* Frees the members. */
void safetensors_header_free(safetensors_header *header);

#endif
