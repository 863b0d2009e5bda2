/* Lists of choices in messages: "a, b or c".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CHOICES_H
#define BASE_CHOICES_H

#include <stddef.h>
#include <stdint.h>

/* Appends a choice, printf-like, to the list in text [size], which is "" at first. left: how many follow it.
 * What does not fit is cut. */
void choices_add(char *text, size_t size, size_t left, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Lists the names of element types: bit 1 << dtype of each. */
void choices_of_types(char *text, size_t size, uint32_t types);

#endif
