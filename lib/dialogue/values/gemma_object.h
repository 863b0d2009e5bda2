/* Objects in Gemma 4's notation: strings between <|"|>, unquoted names, and unquoted values where the
 * template lacks the quotes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_VALUES_GEMMA_OBJECT_H
#define DIALOGUE_VALUES_GEMMA_OBJECT_H

#include "base/buffer.h"

/* The length of the object that text begins with, including its closing brace; 0 if it is not closed. */
size_t serve_gemma_object_length(assay_text text);

/* Adds the JSON of the object to out, which must be empty. ASSAY_EFORMAT if text is no such object; the
 * contents of out are unspecified then. */
assay_status serve_gemma_object(buffer *out, assay_text text);

#endif
