/* The normalizer of a tokenizer.json: rewrites a text before the pre-tokeniser splits it.
 *
 * Implemented are BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend,
 * Replace, Sequence, Strip and StripAccents, as tokenizers 0.23.3 has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_NORMALIZER_H
#define TOKENIZER_NORMALIZER_H

#include <assay/status.h>

#include "tokenizer/normal_step.h"

/* Immutable once opened. */
typedef struct tokenizer_normalizer tokenizer_normalizer;

/* Reads the member p; if it is absent or null, the normaliser changes nothing. The caller owns *out. */
assay_status tokenizer_normalizer_open(const tokenizer_place *p, tokenizer_normalizer **out,
                                       assay_error *err);
void tokenizer_normalizer_free(tokenizer_normalizer *n);

/* Normalises a text. *out points into the text or into `work`, and is valid until `work` is used again.
 * ASSAY_ENOMEM; ASSAY_EUNSUPPORTED if a regular expression exceeds its step limit or the text grows too
 * much. */
assay_status tokenizer_normalizer_run(const tokenizer_normalizer *n, tokenizer_normalizing *work,
                                      const tokenizer_text *text, tokenizer_text *out, assay_error *err);

#endif
