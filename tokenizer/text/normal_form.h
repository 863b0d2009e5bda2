/* Unicode normal forms (UAX #15) with the data of tokenizer/chars.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_NORMAL_FORM_H
#define TOKENIZER_TEXT_NORMAL_FORM_H

#include "tokenizer/text/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A character that has been taken apart, and how the publisher counts it (tokenizer_writer_put). */
typedef struct normal_char {
    uint32_t codepoint;
    int32_t change;
    uint8_t class;
} normal_char;

/* Working memory; all zero is an empty one. */
typedef struct normal_chars {
    normal_char *chars;
    size_t n, capacity;
    normal_char *sorted; /* for long runs of marks */
    size_t sorted_capacity;
} normal_chars;

void tokenizer_normal_chars_free(normal_chars *c);

/* Writes the text of `old` in a normal form: compatible: NFKC, NFKD; composed: NFC, NFKC. Time is linear. */
void tokenizer_normal_form(tokenizer_writer *w, const tokenizer_text *old, bool compatible, bool composed,
                           normal_chars *work);

#endif
