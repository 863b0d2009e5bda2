/* Calls that a model writes twice in a row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_ONCE_H
#define SERVING_TOOLS_ONCE_H

#include "serving/text/bytes.h"

#include <stdbool.h>

/* Whether a call is the one before it again: the same name, and arguments that are the same JSON, in whatever
 * order the members of objects stand, or else the same text. previous: the call before, empty at first; it
 * becomes this one. ASSAY_ENOMEM shows in previous->failed. */
bool serve_tools_is_repeated(serve_bytes *previous, assay_text name, assay_text arguments);

#endif
