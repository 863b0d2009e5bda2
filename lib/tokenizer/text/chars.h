/* The character classes that the stages of a tokenizer use.
 *
 * They equal those of tokenizers 0.23.3 for every character (tokenizer/text/chars_table.h says how that
 * was determined). Names such as P and Mn are Unicode general categories.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_CHARS_H
#define TOKENIZER_TEXT_CHARS_H

#include <stdbool.h>
#include <stdint.h>

bool chars_is_white(uint32_t c);       /* White_Space */
bool chars_is_word(uint32_t c);        /* \w of Rust's regular expressions */
bool chars_is_punctuation(uint32_t c); /* P, and all ASCII symbols */
bool chars_is_numeric(uint32_t c);     /* N */
bool chars_is_combining(uint32_t c);   /* M: removed by StripAccents */
bool chars_is_nonspacing(uint32_t c);  /* Mn: removed by BertNormalizer */
bool chars_is_control(uint32_t c);     /* Cc, Cf and Co, except tab, line feed and carriage return */
bool chars_is_chinese(uint32_t c);     /* the blocks that BERT puts spaces around */

/* Canonical combining class. */
uint8_t chars_class(uint32_t c);

/* Whether normal forms do not decompose c although Unicode 15 has a decomposition. */
bool chars_is_whole(uint32_t c);

/* Writes the lower case of c to out, capacity 2. Returns the number of characters, 1 or 2. */
int chars_lower(uint32_t c, uint32_t *out);

#endif
