/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/expected/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/support/text.h"

#define SHOWN_MOST 10

/* Whether the last parts of the path, without its extension, are those of the id. */
static bool ends_with_id(const char *path, const char *id)
{
    size_t stem;
    const size_t length = strlen(id);
    return conf_case_is_named(path, &stem) && stem > length && path[stem - length - 1] == '/' &&
           strncmp(path + stem - length, id, length) == 0;
}

static const char *find_case(const conf_expected_row *row, const conf_found *cases, size_t n)
{
    const char *here = NULL;
    size_t n_endings = 0;
    for (size_t k = 0; k < n; k++)
        if (strcmp(row->id, cases[k].id) == 0) return cases[k].id;
    for (size_t k = 0; k < n && !row->digest[0]; k++) {
        if (!ends_with_id(cases[k].path, row->id)) continue;
        here = cases[k].id;
        n_endings++;
    }
    return n_endings == 1 ? here : NULL;
}

void conf_expected_join(conf_expected *expected, const conf_found *cases, size_t n)
{
    for (size_t i = 0; i < expected->n; i++) expected->rows[i].here = find_case(&expected->rows[i], cases, n);
}

static bool is_of_case(const conf_expected_row *row, const char *id, const char *digest)
{
    return row->here ? strcmp(row->here, id) == 0 : row->digest[0] && strcmp(row->digest, digest) == 0;
}

static bool is_of_engine(const conf_expected_row *row, const conf_engine_column *engine)
{
    return strcmp(row->engine, engine->name) == 0 || strcmp(row->engine, engine->label) == 0;
}

static conf_expected_row *find_row(const conf_expected *expected, const char *id, const char *digest,
                                   const conf_engine_column *engine)
{
    conf_expected_row *general = NULL;
    for (size_t i = 0; i < expected->n; i++) {
        conf_expected_row *row = &expected->rows[i];
        if (!is_of_case(row, id, digest)) continue;
        if (!row->engine) general = row;
        else if (is_of_engine(row, engine)) return row;
    }
    return general;
}

void conf_expected_apply(conf_expected *expected, const char *id, const char *digest,
                         const conf_engine_column *engine, conf_verdict *v)
{
    conf_expected_row *row = find_row(expected, id, digest, engine);
    if (!row) return;
    if (v->outcome == CONF_SKIPPED) {
        if (row->state == CONF_EXPECTED_UNSEEN) row->state = CONF_EXPECTED_SKIPPED;
        return;
    }
    const bool is_over = strcmp(row->until, expected->today) < 0;
    row->state = CONF_EXPECTED_JUDGED;
    (void)snprintf(v->expected, sizeof v->expected, "%s until %s%s: %s", conf_class_name(row->class),
                   row->until, is_over ? ", which is over" : "", row->reason);
    if (v->outcome == CONF_PASSED)
        conf_verdict_fail(v, CONF_CLASS_FIXED, "passes, although it is expected to fail");
    else if (v->outcome == CONF_FAILED && v->class == row->class && !is_over) v->outcome = CONF_EXPECTED;
}

static void remark_state(const conf_expected *expected, const conf_context *context,
                         conf_expected_state state, const char *why)
{
    size_t n = 0, shown = 0;
    for (size_t i = 0; i < expected->n; i++) n += expected->rows[i].state == state;
    if (n == 0) return;
    (void)fputs("assay: ", context->err);
    conf_text_print_clean(context->err, expected->path);
    (void)fprintf(context->err, ": %zu of %zu expected failures %s %s:", n, expected->n,
                  n == 1 ? "is" : "are", why);
    for (size_t i = 0; i < expected->n && shown < SHOWN_MOST; i++) {
        if (expected->rows[i].state != state) continue;
        (void)fputs(shown++ ? ", " : " ", context->err);
        conf_text_print_clean(context->err, expected->rows[i].id);
    }
    if (shown < n) (void)fprintf(context->err, " and %zu more", n - shown);
    (void)fputc('\n', context->err);
}

void conf_expected_remark(const conf_expected *expected, const conf_context *context)
{
    remark_state(expected, context, CONF_EXPECTED_UNSEEN, "of no case and engine of this run");
    remark_state(expected, context, CONF_EXPECTED_SKIPPED, "of skipped cases");
}

void conf_expected_free(conf_expected *expected)
{
    free(expected->rows);
    (void)json_object_put(expected->document);
    *expected = (conf_expected){0};
}
