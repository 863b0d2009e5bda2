/* String literals of Python. For python_literal alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_VALUES_PYTHON_STRING_H
#define SERVING_VALUES_PYTHON_STRING_H

#include "serving/text/bytes.h"

#include <stdbool.h>

/* Whether a string literal, with its prefix, begins at text[at]. */
bool serve_python_is_string(assay_text text, size_t at);

/* Adds what the literal at text[*at] says to out; *at comes behind it. False where it is not one that
 * python_literal.h reads. */
bool serve_python_string(serve_bytes *out, assay_text text, size_t *at);

#endif
