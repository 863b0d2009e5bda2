/* The tokenizer.json that a GGUF file's metadata stand for: byte-level BPE, BPE of plain text, or
 * SentencePiece's BPE as transformers converts it. For document.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_TOKENIZER_H
#define GGUF_TOKENIZER_H

#include "base/buffer.h"
#include "gguf/container.h"

/* Appends the document, of at most JSON_SIZE_MAX bytes. Fails as gguf_vocabulary_read, gguf_settings_read and
 * the functions of gguf/merges.h do. */
assay_status gguf_tokenizer_write(const gguf *f, buffer *to, assay_error *err);

#endif
