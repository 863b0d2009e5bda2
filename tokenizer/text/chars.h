/* What kinds of characters the parts of a published tokenizer tell apart.
 *
 * As tokenizers 0.23.3 has them, for every character (tokenizer/chars_table.h says how that is known).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_CHARS_H
#define TOKENIZER_TEXT_CHARS_H

#include <stdbool.h>
#include <stdint.h>

bool chars_is_white(uint32_t c);       /* White_Space */
bool chars_is_word(uint32_t c);        /* \w of Rust's regular expressions */
bool chars_is_punctuation(uint32_t c); /* P, and what ASCII has besides */
bool chars_is_numeric(uint32_t c);     /* N */
bool chars_is_combining(uint32_t c);   /* M: what StripAccents takes away */
bool chars_is_nonspacing(uint32_t c);  /* Mn: what BertNormalizer takes away */
bool chars_is_control(uint32_t c);     /* Cc, Cf and Co, but for tab and line ends */
bool chars_is_chinese(uint32_t c);     /* the blocks that BERT puts spaces around */

/* Canonical combining class. */
uint8_t chars_class(uint32_t c);

/* Whether normal forms leave it in one piece though Unicode has a decomposition. */
bool chars_is_whole(uint32_t c);

/* Lower case in out[0..2). Returns how many characters that is. */
int chars_lower(uint32_t c, uint32_t *out);

#endif
