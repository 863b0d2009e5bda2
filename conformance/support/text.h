/* Text for display: safe to print, of a known width, quoted for a shell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_TEXT_H
#define CONFORMANCE_SUPPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Replaces hidden characters, in place, so that no file, engine or server can write escape codes to the
 * terminal or change the order in which text is shown: controls by blanks, marks of direction and other
 * invisible characters by U+FFFD or '?'. Bytes that are not UTF-8 become '?'. An incomplete UTF-8 sequence at
 * the end, as truncation to a fixed-size buffer leaves it, is removed. */
void conf_text_clean(char *text);

/* Characters of UTF-8 text: its width in columns, for the scripts that are used in names. */
size_t conf_text_width(const char *text);

/* Writes text with hidden characters as escapes (\u202E), white space as blanks, and bytes that are not UTF-8
 * as
 * '?'. */
void conf_text_print_clean(FILE *out, const char *text);

/* Writes text, cleaned, in exactly `width` columns: padded with blanks, or with its beginning replaced by
 * "…". */
void conf_text_print_fitted(FILE *out, const char *text, size_t width);

/* Writes text as one word of a POSIX shell: unchanged if it needs no quotes; as $'…' with octal escapes, so
 * that it is one line of UTF-8, if it has control characters or bytes that are not UTF-8; otherwise in
 * single quotes. */
void conf_text_print_quoted(FILE *out, const char *text);

/* The candidate (of n) with the smallest edit distance to word; NULL if none is close. */
const char *conf_text_suggest(const char *word, const char *const *candidates, size_t n);

#endif
