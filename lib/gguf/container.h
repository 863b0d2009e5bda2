/* A checkpoint in GGUF files, mapped read-only: metadata and tensors. The files are untrusted input: they are
 * checked completely before any tensor is read, and an invalid one is refused with the reason (format: ggml
 * 0.25.3, ggml/include/gguf.h and docs/gguf.md of ggml).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_CONTAINER_H
#define GGUF_CONTAINER_H

#include "gguf/tensor.h"
#include "gguf/value.h"

#include <assay/status.h>

typedef struct gguf gguf;

/* Whether the bytes at the begin of the regular file `path` are those of a GGUF file. False if it cannot be
 * read. */
bool gguf_is_file(const char *path);

/* Opens a file of version 2 or 3, little-endian. If its key split.count says that it is the first of several
 * (NAME-00001-of-00003.gguf), the others are opened beside it; another part than the first is refused, and
 * the message names the first. Names of tensors are unique in all files together. The caller owns *out.
 * ASSAY_EIO, ASSAY_EFORMAT, ASSAY_ENOMEM; ASSAY_EUNSUPPORTED for another version, a big-endian file, an array
 * of arrays, or a tensor of a type that the format does not have or has removed. */
assay_status gguf_open(const char *path, gguf **out, assay_error *err);
void gguf_free(gguf *f);

/* The path that was opened. */
const char *gguf_path(const gguf *f);

/* Tensors, file after file, each in the order of its file. What they point to lives as long as f. */
size_t gguf_count(const gguf *f);
const gguf_tensor *gguf_at(const gguf *f, size_t index);

/* NULL if there is no tensor of this name. */
const gguf_tensor *gguf_find(const gguf *f, const char *name);

size_t gguf_n_parts(const gguf *f);
const char *gguf_part_path(const gguf *f, size_t part);

/* The metadata of the first file; NULL if it has no such key. */
const gguf_value *gguf_get(const gguf *f, const char *key);

/* The keys of the first file's metadata, in the order of their bytes. */
size_t gguf_n_keys(const gguf *f);
assay_text gguf_key_at(const gguf *f, size_t index);

#endif
