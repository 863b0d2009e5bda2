/* The form in which text from files, engines and servers is shown, printed and stored. It cannot write escape
 * codes to the terminal or change the order in which text is shown: white space is a blank; controls, marks
 * of direction and other invisible characters are escapes (\u202E); bytes that are not UTF-8 are '?'.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SHOWN_H
#define BASE_SHOWN_H

#include <stddef.h>

#define SHOWN_CHARACTER_MAX 11 /* "\\U0010FFFF", and its end */

/* How the character that text[0..n) begins with is shown, n > 0. Returns its length in bytes. */
size_t shown_character(const char *text, size_t n, char shown[SHOWN_CHARACTER_MAX]);

/* Brings text[0..size), terminated, into that form; what does not fit is cut. An incomplete UTF-8 sequence at
 * the end, as truncation to a fixed-size buffer leaves it, is removed. */
void shown_clean(char *text, size_t size);

#endif
