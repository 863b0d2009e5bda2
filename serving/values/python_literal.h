/* Literals of Python, as models write arguments: what ast.literal_eval reads and json.dumps can write.
 *
 * Numbers, strings (prefixes r and u, adjacent ones joined), True, False, None, lists, tuples with and
 * without brackets, dictionaries, comments. Not read, and so left to the caller as text: bytes, complex
 * numbers, sets, keys that are floats or in parentheses, names of characters (\N{…}), surrogates, whole
 * numbers of other bases beyond 64 bits, and lines that go on behind a backslash, more levels than
 * SERVE_PYTHON_DEPTH_MAX.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_VALUES_PYTHON_LITERAL_H
#define SERVING_VALUES_PYTHON_LITERAL_H

#include "serving/text/bytes.h"

#include <stdbool.h>

#define SERVE_PYTHON_DEPTH_MAX 32

/* Adds to json the JSON of the literal that text is. False, and json as before, where it is none. */
bool serve_python_literal(serve_bytes *json, assay_text text);

/* The same for a literal inside of brackets, at text[*at..): *at comes behind it and the white space around.
 */
bool serve_python_value(serve_bytes *json, assay_text text, size_t *at);

#endif
