/* What a tokenizer promises of any text, for the targets that have one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_TOKENIZING_H
#define FUZZ_TOKENIZING_H

#include <stddef.h>

#include "tokenizer/tokenizer.h"

/* Encodes text[0..n) with and without special tokens, decodes what comes of it, also id by id, and checks
 * that the ids mean something, that texts are UTF-8, and that pieces make the text. */
void fuzz_tokenize(const tokenizer *t, const char *text, size_t n);

#endif
