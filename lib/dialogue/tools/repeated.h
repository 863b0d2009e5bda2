/* Detects calls that a model writes twice in a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_REPEATED_H
#define DIALOGUE_TOOLS_REPEATED_H

#include "base/buffer.h"

#include <stdbool.h>

/* Whether a call equals the previous one: the same name, and arguments that are equal as JSON (the order of
 * members does not matter) or as text. previous: the stored previous call, empty at first; replaced by this
 * call if they differ. A failed allocation shows in previous->failed. */
bool serve_tools_is_repeated(buffer *previous, assay_text name, assay_text arguments);

#endif
