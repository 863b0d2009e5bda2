/* SentencePiece's table of characters (precompiled_charsmap): what texts are replaced by.
 *
 * After base64: four bytes, little-endian: how long a double array is; the double array (darts-clone), whose
 * keys are texts and whose values are places in what follows; texts, each ended by a zero byte. What lies
 * outside of these counts as not there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_CHARSMAP_H
#define TOKENIZER_TEXT_CHARSMAP_H

#include <assay/status.h>

#include "tokenizer/text/place.h"
#include "tokenizer/text/writer.h"

#include <stddef.h>

typedef struct tokenizer_charsmap tokenizer_charsmap;

/* Opens a string in base64. The caller owns *out. ASSAY_EFORMAT. */
assay_status tokenizer_charsmap_open(const tokenizer_place *p, tokenizer_charsmap **out, assay_error *err);
void tokenizer_charsmap_free(tokenizer_charsmap *m);

/* Writes what becomes of a text, as the publisher reads such a table: grapheme by grapheme, where one has
 * less than six bytes and begins with a key, and else character by character. Of several keys the shortest
 * counts, and all of the grapheme is replaced. */
void tokenizer_charsmap_run(const tokenizer_charsmap *m, tokenizer_writer *w, const tokenizer_text *old);

#endif
