/* Calls of several formats in one complete text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_FORMATS_AUTO_PASSES_H
#define DIALOGUE_TOOLS_FORMATS_AUTO_PASSES_H

#include "dialogue/tools/state.h"

/* Emits the calls of text, one format after the other; each format searches the text that the formats before
 * it have left. bare: objects without markers are calls if no format has one. */
void serve_auto_read_all(serve_tools *t, assay_text text, bool bare);

#endif
