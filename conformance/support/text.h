/* Text for people: safe to print, of a known width, quoted for a shell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_TEXT_H
#define CONFORMANCE_SUPPORT_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Replaces control characters by blanks and bytes that are not UTF-8 by '?', in place, so that no file and no
 * engine can write escape codes on the terminal. A sequence that a fixed-size buffer cut short is taken off
 * the end. */
void conf_text_clean(char *text);

/* Characters of UTF-8 text: the columns it takes, for the scripts that names are written in. */
size_t conf_text_width(const char *text);

/* Writes text as conf_text_clean makes it, character by character; a sequence that is cut short is replaced.
 */
void conf_text_print_clean(FILE *out, const char *text);

/* Writes text, cleaned, in exactly `width` columns: padded, or cut at the front behind a "…". */
void conf_text_print_fitted(FILE *out, const char *text, size_t width);

/* Writes text as one word of a POSIX shell: as it is where it needs no quotes, and as $'…' with octal
 * escapes, so that it is one line of UTF-8, where it has control characters or bytes that are not UTF-8. */
void conf_text_print_quoted(FILE *out, const char *text);

/* The candidate (of n) that was probably meant by word; NULL if none is near. */
const char *conf_text_suggest(const char *word, const char *const *candidates, size_t n);

#endif
