/* Expectations on the output of a tool parser, for tests. A script is what pieces_script writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_TESTS_TOOL_READS_H
#define DIALOGUE_TOOLS_TESTS_TOOL_READS_H

#include "dialogue/tools/tools.h"

/* Checks a text cut into any three pieces, and into bytes; no piece may end within a character. An empty
 * script means no output. */
void tool_reads(const char *parser, const char *text, const char *script);

/* The same with a request, its JSON text; NULL: none. */
void tool_reads_with(const char *parser, const char *request, const char *text, const char *script);

#endif
