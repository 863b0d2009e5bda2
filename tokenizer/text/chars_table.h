/* Where the publisher's libraries know another Unicode than utf8proc does.
 *
 * Hugging Face tokenizers asks several libraries, each of the Unicode of its own year. Each list holds the
 * characters for which such a library says the opposite of utf8proc 2.8 (Unicode 15); it was found by asking
 * tokenizers 0.23.3 about every character there is. For tokenizer_chars alone.
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
