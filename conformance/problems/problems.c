/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/problems/problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/support/text.h"

/* Each line in the form of base/shown; the caller frees the text. NULL if out of memory. */
static char *clean_lines(const char *text)
{
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    if (!out) return NULL;
    for (;;) {
        const size_t n = strcspn(text, "\n");
        conf_text_print_part(out, text, n);
        text += n;
        if (!*text) break;
        (void)fputc(*text++, out);
    }
    if (fclose(out) == 0) return all;
    free(all);
    return NULL;
}

static void free_problem(const conf_problem *one)
{
    const char *const texts[] = {one->rule, one->title, one->path, one->text, one->repro, one->severity};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free((char *)texts[i]);
}

assay_status conf_problems_add(conf_problems *list, const conf_problem *one, assay_error *err)
{
    conf_problem *at = grow_by_one(list->at, list->n, sizeof *at);
    if (at) list->at = at;
    const conf_problem copy = {
        .rule = clean_lines(one->rule),
        .title = clean_lines(one->title),
        .path = one->path ? clean_lines(one->path) : NULL,
        .text = clean_lines(one->text),
        .repro = one->repro ? clean_lines(one->repro) : NULL,
        .severity = one->severity ? clean_lines(one->severity) : NULL,
    };
    if (at && copy.rule && copy.title && copy.text && (copy.path || !one->path) &&
        (copy.repro || !one->repro) && (copy.severity || !one->severity)) {
        at[list->n++] = copy;
        return ASSAY_OK;
    }
    free_problem(&copy);
    return assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

void conf_problems_free(conf_problems *list)
{
    for (size_t i = 0; i < list->n; i++) free_problem(&list->at[i]);
    free(list->at);
    *list = (conf_problems){0};
}
