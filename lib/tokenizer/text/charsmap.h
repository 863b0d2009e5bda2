/* SentencePiece's normalisation table (precompiled_charsmap): maps texts to their replacements.
 *
 * Layout after base64: four bytes, little-endian: the size of the double array in bytes; the double
 * array (darts-clone), whose keys are texts and whose values are offsets into the rest; the rest,
 * replacement texts, each terminated by a zero byte. A look-up that leaves these bounds finds nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_CHARSMAP_H
#define TOKENIZER_TEXT_CHARSMAP_H

#include <assay/status.h>

#include "tokenizer/text/place.h"
#include "tokenizer/text/writer.h"

#include <stddef.h>

typedef struct tokenizer_charsmap tokenizer_charsmap;

/* Reads a string in base64, untrusted input. The caller owns *out. ASSAY_EFORMAT; ASSAY_ENOMEM. */
assay_status tokenizer_charsmap_open(const tokenizer_place *p, tokenizer_charsmap **out, assay_error *err);
void tokenizer_charsmap_free(tokenizer_charsmap *m);

/* Writes `old` to w, normalised as by Hugging Face's tokenizers: a grapheme of less than six bytes that
 * begins with a key is replaced as a whole; in any other grapheme each character is looked up by
 * itself. Of several matching keys the shortest is used. */
void tokenizer_charsmap_run(const tokenizer_charsmap *m, tokenizer_writer *w, const tokenizer_text *old);

#endif
