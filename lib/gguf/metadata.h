/* Typed reading of a GGUF file's metadata.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_METADATA_H
#define GGUF_METADATA_H

#include "gguf/container.h"

/* Each leaves *out as it is if the file lacks the key, and fails with ASSAY_EFORMAT, which names the file,
 * the key and both types, if the value has another type. unsigned: an integer that is not negative; number:
 * an integer or a floating-point number; texts, numbers: arrays, borrowed from f. */
assay_status gguf_get_unsigned(const gguf *f, const char *key, uint64_t *out, assay_error *err);
assay_status gguf_get_number(const gguf *f, const char *key, double *out, assay_error *err);
assay_status gguf_get_bool(const gguf *f, const char *key, bool *out, assay_error *err);
assay_status gguf_get_text(const gguf *f, const char *key, assay_text *out, assay_error *err);
assay_status gguf_get_texts(const gguf *f, const char *key, const gguf_value **out, assay_error *err);
assay_status gguf_get_numbers(const gguf *f, const char *key, const gguf_value **out, assay_error *err);

/* ASSAY_EFORMAT, with the file and the key, if the file lacks the key. */
assay_status gguf_require(const gguf *f, const char *key, assay_error *err);

#endif
