/* Calls of several formats in one text, which is whole.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_FORMATS_AUTO_PASSES_H
#define SERVING_TOOLS_FORMATS_AUTO_PASSES_H

#include "serving/tools/state.h"

/* Hands out the calls of text: those of one format behind those of another, each looked for in what the
 * formats before it have left. bare: objects without markers are calls where no format has one. */
void serve_auto_read_all(serve_tools *t, assay_text text, bool bare);

#endif
