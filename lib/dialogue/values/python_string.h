/* Python string literals. Used by python_literal.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_VALUES_PYTHON_STRING_H
#define DIALOGUE_VALUES_PYTHON_STRING_H

#include "base/buffer.h"

#include <stdbool.h>

/* Whether a string literal, with its prefix, begins at text[at]. */
bool serve_python_is_string(assay_text text, size_t at);

/* Adds the value of the literal at text[*at] to out; *at: the offset after it. False if python_literal.h does
 * not support it. */
bool serve_python_string(buffer *out, assay_text text, size_t *at);

#endif
