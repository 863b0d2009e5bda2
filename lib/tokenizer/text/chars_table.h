/* Differences in Unicode data between the libraries of Hugging Face's tokenizers and utf8proc.
 *
 * Tokenizers uses several libraries with different versions of Unicode. Each list holds the characters
 * for which one of them gives the opposite answer to utf8proc 2.8 (Unicode 15). The lists were
 * determined by running tokenizers 0.23.3 on every Unicode character. Used only by tokenizer/text/chars.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_CHARS_TABLE_H
#define TOKENIZER_TEXT_CHARS_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct chars_range {
    uint32_t from, to; /* inclusive, ascending */
} chars_range;

typedef struct chars_list {
    const chars_range *ranges;
    size_t n;
} chars_list;

enum {
    CHARS_PUNCTUATION,
    CHARS_WORD,
    CHARS_NUMERIC,
    CHARS_COMBINING,
    CHARS_NONSPACING,
    CHARS_CLASS_ZERO,
    CHARS_WHOLE,
    CHARS_N_LISTS
};

extern const chars_list chars_exceptions[CHARS_N_LISTS];

#endif
