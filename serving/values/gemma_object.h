/* Objects as Gemma 4 writes them: strings between <|"|>, names without quotes, and values without quotes
 * where the template forgot them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_VALUES_GEMMA_OBJECT_H
#define SERVING_VALUES_GEMMA_OBJECT_H

#include "serving/text/bytes.h"

/* How far the object that text begins with reaches, to its closing brace; 0 where it does not close. */
size_t serve_gemma_object_length(assay_text text);

/* Adds the JSON of the object to out, which is empty. ASSAY_EFORMAT where it is none; then out holds
 * anything. */
assay_status serve_gemma_object(serve_bytes *out, assay_text text);

#endif
