/* Names of Unicode properties; used only by tokenizer/text/ruby_chars and ruby_sets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_PROPERTY_H
#define TOKENIZER_TEXT_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>

/* items: of PCRE2's brackets, that say the property.
 * is_union: they are not one "\p{NAME}".
 * is_word: that of "\\w", which differs in brackets.
 * cases: items of the other cases of its members that are no members themselves; NULL: not known.
 * folds_to_several: some of its members fold to several characters, as a sharp s does; only if `cases` are
 * known. */
typedef struct tokenizer_property {
    char items[256];
    bool is_union, is_word;
    const char *cases;
    bool folds_to_several;
} tokenizer_property;

/* Finds the property that Oniguruma calls name[0..n). Case, spaces, '_' and '-' are ignored. A name that is
 * no known category is taken for a script, which need not exist. False if the name has other characters than
 * letters, or is empty or too long. */
bool tokenizer_property_find(const char *name, size_t n, tokenizer_property *out);

#endif
