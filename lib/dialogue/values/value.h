/* Converts values that are written as text to the type that the request declares (qwen3_xml).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_VALUES_VALUE_H
#define DIALOGUE_VALUES_VALUE_H

#include "base/buffer.h"

#include <stdbool.h>

/* Whether the type's values are lists, or dictionaries by Python's name. */
bool serve_tools_value_is_list(const char *type);

/* Adds the JSON of text to out: integers and numbers by value, booleans (true if the text is "true"), lists
 * and objects as Python literals. A text that does not fit its type is copied if it is JSON, and becomes a
 * string otherwise. `null` is null for every type except string, for which it is the empty string. An empty
 * text is the empty string, and false for booleans. type: of JSON Schema, or another system's name for it; an
 * unknown one means string. ASSAY_ENOMEM or ASSAY_OK. */
assay_status serve_tools_value(buffer *out, assay_text text, const char *type);

/* The same for a value that is cut off, as the published stream reports it: a string is left unclosed; an
 * incomplete number and an object are copied; of a list, or of null, nothing is added. */
void serve_tools_value_begun(buffer *out, assay_text text, const char *type);

#endif
