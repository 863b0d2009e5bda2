/* Text as it is written within a JSON string.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_ESCAPE_H
#define BASE_JSON_ESCAPE_H

#include "base/buffer.h"

/* Append text with its escapes, without and with the quotes around it; invalid UTF-8 becomes U+FFFD. */
void json_append_escaped(buffer *b, assay_text text);
void json_append_quoted(buffer *b, assay_text text);

#endif
