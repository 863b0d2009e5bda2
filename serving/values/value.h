/* Values that are written as text, of the type that the request gives their parameter (qwen3_xml).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_VALUES_VALUE_H
#define SERVING_VALUES_VALUE_H

#include "serving/text/bytes.h"

#include <stdbool.h>

/* Whether values of the type are lists, or dictionaries by Python's name. */
bool serve_tools_value_is_list(const char *type);

/* Adds to out the JSON of text: whole numbers and numbers as what they say, booleans "true" or not, lists and
 * objects as Python literals; what is not of its type is JSON where it is that, and else a string. `null` is
 * null of every type but a string's, where it is empty. A text of no bytes is an empty string, but of a
 * boolean, where it is false. type: of JSON Schema or as other systems call them; what is not known is a
 * string. ASSAY_ENOMEM or ASSAY_OK. */
assay_status serve_tools_value(serve_bytes *out, assay_text text, const char *type);

/* The same of a value that is cut off, as a stream tells it: a string is left open, what is no number yet,
 * and an object, stand as they are, and of a list, or null, nothing does. */
void serve_tools_value_begun(serve_bytes *out, assay_text text, const char *type);

#endif
