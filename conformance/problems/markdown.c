/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/problems/markdown.h"

#include <string.h>

#define MARKS "\\`*_{}[]<>#|&~!"

/* Markdown takes a backslash before its marks. */
void conf_markdown_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr(MARKS, *text)) (void)fputc('\\', out);
        (void)fputc(*text == '\n' ? ' ' : *text, out);
    }
}

/* Nothing in an indented line is Markdown or HTML. */
void conf_markdown_code(FILE *out, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        (void)fprintf(out, "    %.*s\n", (int)n, text);
        text += n + (text[n] != '\0');
    }
}
