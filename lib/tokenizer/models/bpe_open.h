/* Reads BPE models.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_OPEN_H
#define TOKENIZER_MODELS_BPE_OPEN_H

#include "tokenizer/models/bpe.h"
#include "tokenizer/text/file.h"

/* Reads the model of f; vocab is borrowed. byte_level: the pre-tokeniser ends with the byte-level
 * mapping (tokenizer/models/bytes.h), which the model can do itself. *taken: it does, so words must be
 * passed as raw bytes; otherwise words must be passed with their bytes mapped to characters. The caller
 * owns *out. ASSAY_EFORMAT; ASSAY_ENOMEM; ASSAY_EUNSUPPORTED for a dropout, which would make ids
 * random. */
assay_status tokenizer_bpe_open(const tokenizer_file *f, const tokenizer_vocab *vocab, bool byte_level,
                                tokenizer_bpe **out, bool *taken, assay_error *err);
void tokenizer_bpe_free(tokenizer_bpe *b);

#endif
