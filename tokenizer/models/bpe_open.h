/* Opening byte-pair encodings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_OPEN_H
#define TOKENIZER_MODELS_BPE_OPEN_H

#include "tokenizer/models/bpe.h"
#include "tokenizer/text/file.h"

/* Reads the model of f, whose vocabulary is borrowed. byte_level: words come as bytes, and each byte means
 * its character of tokenizer/bytes.h; *taken says whether the model can take them so: else they must come as
 * those characters. ASSAY_EUNSUPPORTED for a dropout, which would make ids a matter of chance. */
assay_status tokenizer_bpe_open(const tokenizer_file *f, const tokenizer_vocab *vocab, bool byte_level,
                                tokenizer_bpe **out, bool *taken, assay_error *err);
void tokenizer_bpe_free(tokenizer_bpe *b);

#endif
