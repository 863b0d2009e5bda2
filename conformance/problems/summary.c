/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/problems/formats.h"
#include "conformance/problems/markdown.h"

#define ROWS_MOST  200 /* GitHub refuses a summary of more than 1 MiB */
#define TEXTS_MOST 20

static void print_table(FILE *out, const conf_problems *list)
{
    bool is_rated = false;
    for (size_t i = 0; i < list->n; i++) is_rated = is_rated || list->at[i].severity;
    (void)fputs(is_rated ? "\n| | rule | problem | severity |\n|---:|---|---|---|\n"
                         : "\n| | rule | problem |\n|---:|---|---|\n",
                out);
    for (size_t i = 0; i < list->n && i < ROWS_MOST; i++) {
        (void)fprintf(out, "| %zu | ", i + 1);
        conf_markdown_text(out, list->at[i].rule);
        (void)fputs(" | ", out);
        conf_markdown_text(out, list->at[i].title);
        if (is_rated) {
            (void)fputs(" | ", out);
            conf_markdown_text(out, list->at[i].severity ? list->at[i].severity : "");
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
        conf_markdown_text(out, list->at[i].title);
        (void)fputs("\n\n", out);
        conf_markdown_code(out, list->at[i].text);
        if (!list->at[i].repro) continue;
        (void)fputs("\nThis command shows it again:\n\n", out);
        conf_markdown_code(out, list->at[i].repro);
    }
    return ASSAY_OK;
}
