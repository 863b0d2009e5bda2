/* Texts of engines, servers and files in Markdown: they are shown as they are, whatever Markdown or HTML they
 * contain.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBLEMS_MARKDOWN_H
#define CONFORMANCE_PROBLEMS_MARKDOWN_H

#include <stdio.h>

/* Writes text in a line or in a cell of a table: line ends become blanks. */
void conf_markdown_text(FILE *out, const char *text);

/* Writes lines of code, as a block of its own between empty lines. */
void conf_markdown_code(FILE *out, const char *text);

#endif
