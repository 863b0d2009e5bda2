/* Names of properties of characters; for tokenizer_ruby alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_PROPERTY_H
#define TOKENIZER_TEXT_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>

/* PCRE2's name of the property that Oniguruma calls name[0..n), without regard to case, spaces, '_' and '-':
 * a category, or else the script of that name, if there is one. False where it can be neither. */
bool tokenizer_property_name(const char *name, size_t n, char *out, size_t room);

#endif
