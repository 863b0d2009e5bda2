/* The merges of a GGUF file's tokenizer, written as the member model.merges of a tokenizer.json.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_MERGES_H
#define GGUF_MERGES_H

#include "base/buffer.h"
#include "gguf/vocabulary.h"

/* Appends those of tokenizer.ggml.merges. ASSAY_EFORMAT if the file has none, or one is not two texts with a
 * blank between. */
assay_status gguf_merges_append(const gguf *f, buffer *to, assay_error *err);

/* Appends those that give SentencePiece's result: every division of a token into two tokens, in the order of
 * the whole token's score (transformers 5.23, generate_merges). Control, unknown and byte tokens take part in
 * none, as in SentencePiece, nor do added ones. ASSAY_EUNSUPPORTED if there are more than 2^22. */
assay_status gguf_merges_derive(const gguf *f, const gguf_vocabulary *v, buffer *to, assay_error *err);

#endif
