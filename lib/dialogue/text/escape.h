/* Text as it is written within a JSON string.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TEXT_ESCAPE_H
#define DIALOGUE_TEXT_ESCAPE_H

#include "base/buffer.h"

/* Append text with its escapes, without and with the quotes around it; invalid UTF-8 becomes U+FFFD. */
void serve_append_escaped(buffer *b, assay_text text);
void serve_append_quoted(buffer *b, assay_text text);

#endif
