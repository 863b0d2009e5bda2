/* General categories of characters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CATEGORY_H
#define BASE_CATEGORY_H

#include <stdbool.h>
#include <stdint.h>

/* Whether it is a letter or a number (general categories L and N), as in Python's str.isalnum. */
bool utf8_is_alphanumeric(uint32_t codepoint);

#endif
