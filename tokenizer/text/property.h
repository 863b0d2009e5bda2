/* Names of Unicode properties; used only by tokenizer/text/ruby_chars.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_PROPERTY_H
#define TOKENIZER_TEXT_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>

/* Writes PCRE2's name of the property that Oniguruma calls name[0..n) to out[0..capacity). Case, spaces,
 * '_' and '-' are ignored. A name that is no known category is taken for a script, which need not
 * exist. False if the name has other characters than letters, or is empty or too long. */
bool tokenizer_property_name(const char *name, size_t n, char *out, size_t capacity);

#endif
