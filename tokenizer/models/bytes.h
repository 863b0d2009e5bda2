/* The alphabet of byte-level tokenizers: a printable character for each byte (GPT-2's encoder.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BYTES_H
#define TOKENIZER_MODELS_BYTES_H

#include <stdint.h>

/* '!' to '~' and U+00A1 to U+00FF, but for U+00AD, stand for themselves, the rest for U+0100 on. */
uint32_t tokenizer_bytes_char(unsigned char byte);

/* The byte that a character stands for, or -1. */
int tokenizer_bytes_byte(uint32_t codepoint);

#endif
