/* Unicode normal forms (UAX #15), with the character data of tokenizer/text/chars.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_NORMAL_FORM_H
#define TOKENIZER_TEXT_NORMAL_FORM_H

#include "tokenizer/text/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A character of a decomposition, its `change` (tokenizer_writer_put) and its canonical combining
 * class. */
typedef struct normal_char {
    uint32_t codepoint;
    int32_t change;
    uint8_t class;
} normal_char;

/* Working memory; starts as zero, freed by tokenizer_normal_chars_free. */
typedef struct normal_chars {
    normal_char *chars;
    size_t n, capacity;
    normal_char *sorted; /* [sorted_capacity]: for long runs of marks */
    size_t sorted_capacity;
} normal_chars;

void tokenizer_normal_chars_free(normal_chars *c);

/* Writes `old` to w in NFD, NFC (composed), NFKD (compatible) or NFKC (both), in linear time. Sets
 * w->failed if out of memory. */
void tokenizer_normal_form(tokenizer_writer *w, const tokenizer_text *old, bool compatible, bool composed,
                           normal_chars *work);

#endif
