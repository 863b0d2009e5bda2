/* Python literals, as models write arguments: those that ast.literal_eval reads and json.dumps can write.
 *
 * Numbers, strings (prefixes r and u, adjacent ones joined), True, False, None, lists, tuples with and
 * without brackets, dictionaries, comments. Not supported, so that the caller treats them as text: bytes,
 * complex numbers, sets, keys that are floats or in parentheses, character names (\N{…}), surrogates,
 * integers of other bases beyond 64 bits, lines that a backslash continues, and nesting deeper than
 * SERVE_PYTHON_DEPTH_MAX.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_VALUES_PYTHON_LITERAL_H
#define DIALOGUE_VALUES_PYTHON_LITERAL_H

#include "base/buffer.h"

#include <stdbool.h>

#define SERVE_PYTHON_DEPTH_MAX 32

/* Adds the JSON of the literal in text to json. False, with json unchanged, if text is no such literal. */
bool serve_python_literal(buffer *json, assay_text text);

/* The same for a literal within brackets at text[*at..). *at: the offset after it and the white space around
 * it. */
bool serve_python_value(buffer *json, assay_text text, size_t *at);

/* Appends a finite number as Python's repr writes a float: the shortest digits that read back as the same
 * number, with an exponent below 1e-4 and from 1e16 on. */
void serve_append_python_float(buffer *out, double value);

#endif
