/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/left_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/shown.h"
#include "conformance/replay/manner.h"
#include "conformance/support/text.h"

#define REASONS_MAX      4 /* that are named */
#define REASON_WIDTH_MAX 100

/* Manners that were left out for one reason. */
typedef struct group {
    char reason[CONF_TEXT_MAX];
    bool has[CONF_N_MANNERS];
    size_t n_cases;
} group;

typedef struct group_list {
    group *at;
    size_t n;
} group_list;

/* The group of a reason, which is added if it is new; NULL if out of memory. */
static group *find_group(group_list *list, const char *reason)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].reason, reason) == 0) return &list->at[i];
    group *grown = grow_by_one(list->at, list->n, sizeof *grown);
    if (!grown) return NULL;
    list->at = grown;
    group *g = &list->at[list->n++];
    *g = (group){.n_cases = 0};
    (void)snprintf(g->reason, sizeof g->reason, "%s", reason);
    return g;
}

/* names: separated by ", ". */
static void add_manners(group *g, const char *names)
{
    for (char name[CONF_MANNER_NAME_MAX]; conf_verdict_take_name(&names, name);) {
        const conf_manner manner = conf_manner_find(name);
        if (manner != CONF_N_MANNERS) g->has[manner] = true;
    }
}

static void collect_groups(const conf_results *results, size_t engine, group_list *list)
{
    char names[CONF_MANNERS_TEXT_MAX], reason[CONF_TEXT_MAX];
    for (size_t i = 0; i < results->n; i++) {
        const conf_verdict *v = &results->at[i].verdicts[engine];
        for (size_t at = 0; conf_verdict_left_out(v, &at, names, reason);) {
            group *g = find_group(list, reason);
            if (!g) return;
            add_manners(g, names);
            g->n_cases++;
        }
    }
}

static size_t count_manners(const group_list *list)
{
    size_t n = 0;
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) {
        bool any = false;
        for (size_t i = 0; i < list->n; i++) any = any || list->at[i].has[m];
        n += any;
    }
    return n;
}

/* "late, early (the engine lacks join)" */
static void print_group(FILE *out, const group *g)
{
    const char *between = "";
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) {
        if (!g->has[m]) continue;
        (void)fprintf(out, "%s%s", between, conf_manner_of(m)->name);
        between = ", ";
    }
    char reason[REASON_WIDTH_MAX + 1];
    (void)snprintf(reason, sizeof reason, "%.*s", REASON_WIDTH_MAX, g->reason);
    (void)fputs(" (", out);
    shown_clean(reason, sizeof reason);
    (void)fprintf(out, "%s%s)", reason, strlen(g->reason) > strlen(reason) ? "…" : "");
}

/* The number of cases follows the last of several reasons that have it. */
static void print_groups(FILE *out, const group_list *list)
{
    const size_t n_named = list->n < REASONS_MAX ? list->n : REASONS_MAX;
    for (size_t i = 0; i < n_named; i++) {
        const size_t n = list->at[i].n_cases;
        (void)fputs(i ? ", " : " ", out);
        print_group(out, &list->at[i]);
        if (i + 1 < n_named && list->at[i + 1].n_cases == n) continue;
        (void)fprintf(out, " in %zu case%s", n, n == 1 ? "" : "s");
    }
    if (list->n > n_named)
        (void)fprintf(out, ", and for %zu more reason%s (see --verbose)", list->n - n_named,
                      list->n - n_named == 1 ? "" : "s");
}

void conf_report_left_out(FILE *out, const char *prefix, const conf_results *results, size_t engine)
{
    group_list list = {0};
    collect_groups(results, engine, &list);
    if (list.n > 0) {
        (void)fprintf(out, "%smanners  ", prefix);
        if (results->n_engines > 1) {
            conf_text_print_clean(out, results->engines[engine].label);
            (void)fputs(": ", out);
        }
        (void)fprintf(out, "%zu left out:", count_manners(&list));
        print_groups(out, &list);
        (void)fputc('\n', out);
    }
    free(list.at);
}
