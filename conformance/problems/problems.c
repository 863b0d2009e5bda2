/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/problems/problems.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"

/* A cleaned copy; the caller frees it. NULL if out of memory. Cleaning makes a text at most four times as
 * long ("\x1b"). */
static char *clean_line(const char *text, size_t n)
{
    const size_t size = 4 * n + 1;
    char *line = malloc(size);
    if (!line) return NULL;
    memcpy(line, text, n);
    line[n] = '\0';
    shown_clean(line, size);
    return line;
}

/* The same of each line. */
static char *clean_lines(const char *text)
{
    char *all = calloc(4 * strlen(text) + 1, 1);
    char *end = all;
    while (all && *text) {
        const size_t n = strcspn(text, "\n");
        char *line = clean_line(text, n);
        if (!line) {
            free(all);
            return NULL;
        }
        end = stpcpy(end, line);
        free(line);
        text += n;
        if (*text == '\n') *end++ = *text++;
    }
    return all;
}

static void free_problem(conf_problem *one)
{
    const char *const texts[] = {one->rule, one->title, one->path, one->text, one->repro};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free((char *)texts[i]);
}

assay_status conf_problems_add(conf_problems *list, const conf_problem *one, assay_error *err)
{
    conf_problem *at = realloc(list->at, (list->n + 1) * sizeof *at);
    if (at) list->at = at;
    const conf_problem copy = {
        .rule = clean_lines(one->rule),
        .title = clean_lines(one->title),
        .path = one->path ? clean_lines(one->path) : NULL,
        .text = clean_lines(one->text),
        .repro = one->repro ? clean_lines(one->repro) : NULL,
    };
    if (at && copy.rule && copy.title && copy.text && (copy.path || !one->path) &&
        (copy.repro || !one->repro)) {
        at[list->n++] = copy;
        return ASSAY_OK;
    }
    free_problem(&(conf_problem){copy.rule, copy.title, copy.path, copy.text, copy.repro});
    return assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

void conf_problems_free(conf_problems *list)
{
    for (size_t i = 0; i < list->n; i++) free_problem(&list->at[i]);
    free(list->at);
    *list = (conf_problems){0};
}
