/* Checks the guarantees of a tokenizer for any text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_TOKENIZING_H
#define FUZZ_TOKENIZING_H

#include <stddef.h>

#include "tokenizer/tokenizer.h"

/* Encodes text[0..n) with and without special tokens, decodes the ids, also one by one, and checks that
 * the ids are in the vocabulary, that texts are UTF-8, and that the pieces join to the text. */
void fuzz_tokenize(const tokenizer *t, const char *text, size_t n);

#endif
