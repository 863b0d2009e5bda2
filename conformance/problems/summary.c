/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/problems/formats.h"

#define ROWS_MOST  200 /* GitHub refuses a summary of more than 1 MiB */
#define TEXTS_MOST 20

#define MARKS "\\`*_{}[]<>#|&~!"

/* Markdown takes a backslash before its marks. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr(MARKS, *text)) (void)fputc('\\', out);
        (void)fputc(*text == '\n' ? ' ' : *text, out);
    }
}

/* Lines of code: nothing in them is Markdown or HTML. */
static void print_code(FILE *out, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        (void)fprintf(out, "    %.*s\n", (int)n, text);
        text += n + (text[n] != '\0');
    }
}

static void print_table(FILE *out, const conf_problems *list)
{
    bool is_rated = false;
    for (size_t i = 0; i < list->n; i++) is_rated = is_rated || list->at[i].severity;
    (void)fputs(is_rated ? "\n| | rule | problem | severity |\n|---:|---|---|---|\n"
                         : "\n| | rule | problem |\n|---:|---|---|\n",
                out);
    for (size_t i = 0; i < list->n && i < ROWS_MOST; i++) {
        (void)fprintf(out, "| %zu | ", i + 1);
        print_cell(out, list->at[i].rule);
        (void)fputs(" | ", out);
        print_cell(out, list->at[i].title);
        if (is_rated) {
            (void)fputs(" | ", out);
            print_cell(out, list->at[i].severity ? list->at[i].severity : "");
        }
        (void)fputs(" |\n", out);
    }
    if (list->n > ROWS_MOST) (void)fprintf(out, "\nThe table has the first %d.\n", ROWS_MOST);
}

assay_status conf_problems_summarize(FILE *out, const conf_problems *list, assay_error *err)
{
    (void)err;
    (void)fprintf(out, "### assay %s: %zu passed, %zu failed, %zu skipped", list->command, list->n_passed,
                  list->n, list->n_skipped);
    if (list->n_expected) (void)fprintf(out, ", %zu expected", list->n_expected);
    (void)fputc('\n', out);
    if (list->n) print_table(out, list);
    for (size_t i = 0; i < list->n && i < TEXTS_MOST; i++) {
        (void)fprintf(out, "\n#### %zu. ", i + 1);
        print_cell(out, list->at[i].title);
        (void)fputs("\n\n", out);
        print_code(out, list->at[i].text);
        if (!list->at[i].repro) continue;
        (void)fputs("\nThis command shows it again:\n\n", out);
        print_code(out, list->at[i].repro);
    }
    return ASSAY_OK;
}
