/* Text for display: safe to print, of a known width, quoted for a shell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_TEXT_H
#define CONFORMANCE_SUPPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A copy in the form of base/shown, freed by the caller; NULL: out of memory. */
char *conf_text_cleaned(const char *text);

bool conf_text_is_clean(const char *text);

/* Characters of UTF-8 text: its width in columns, for the scripts that are used in names. */
size_t conf_text_width(const char *text);

/* Write text, or text[0..n), in that form. */
void conf_text_print_part(FILE *out, const char *text, size_t n);
void conf_text_print_clean(FILE *out, const char *text);

/* Writes text, cleaned, in exactly `width` columns: padded with blanks, or with its beginning replaced by
 * "…". */
void conf_text_print_fitted(FILE *out, const char *text, size_t width);

/* Writes text as one word of a POSIX shell: unchanged if it needs no quotes; as $'…' with octal escapes, so
 * that it is one line of UTF-8, if it has control characters or bytes that are not UTF-8; otherwise in
 * single quotes. */
void conf_text_print_quoted(FILE *out, const char *text);

/* Edit distance (Damerau, adjacent transpositions once each) of the last 64 bytes of both texts. */
size_t conf_text_distance(const char *a, const char *b);

/* The candidate (of n) with the smallest edit distance to word; NULL if none is close. */
const char *conf_text_suggest(const char *word, const char *const *candidates, size_t n);

#endif
