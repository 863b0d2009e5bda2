/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/problems/formats.h"

#define SHOWN_MOST 10 /* errors of a step that GitHub shows */

/* Writes text with the bytes of `escaped`, '%' and line ends as "%25". */
static void print_escaped(FILE *out, const char *text, const char *escaped)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '%' || c == '\n' || c == '\r' || strchr(escaped, c)) (void)fprintf(out, "%%%02X", c);
        else (void)fputc(c, out);
    }
}

/* GitHub takes files of the repository: the working directory, in a workflow. */
static bool is_below(const char *path)
{
    return path && path[0] != '/' && strncmp(path, "../", 3) != 0;
}

static void print_problem(FILE *out, const conf_problem *one)
{
    (void)fputs("::error ", out);
    if (is_below(one->path)) {
        (void)fputs("file=", out);
        print_escaped(out, one->path, ":,");
        (void)fputc(',', out);
    }
    (void)fputs("title=", out);
    print_escaped(out, one->title, ":,");
    (void)fputs("::", out);
    print_escaped(out, one->text[0] ? one->text : one->title, "");
    if (one->repro) {
        print_escaped(out, "\nREPRO: ", "");
        print_escaped(out, one->repro, "");
    }
    (void)fputc('\n', out);
}

assay_status conf_problems_annotate(FILE *out, const conf_problems *list, assay_error *err)
{
    (void)err;
    const size_t n = list->n > SHOWN_MOST ? SHOWN_MOST - 1 : list->n;
    for (size_t i = 0; i < n; i++) print_problem(out, &list->at[i]);
    if (n < list->n)
        (void)fprintf(out, "::error title=assay %s::%zu more problems, %zu in all\n", list->command,
                      list->n - n, list->n);
    return ASSAY_OK;
}
