/* The alphabet of byte-level tokenizers: a printable character for each byte (GPT-2's encoder.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BYTES_H
#define TOKENIZER_MODELS_BYTES_H

#include <stdint.h>

/* The character of a byte: bytes 0x21 to 0x7e and 0xa1 to 0xff except 0xad map to the character of the
 * same number, the others, in ascending order, to U+0100 and up. */
uint32_t tokenizer_bytes_char(unsigned char byte);

/* The byte that maps to a character, or -1. */
int tokenizer_bytes_byte(uint32_t codepoint);

#endif
