/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/expected/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/support/text.h"

#define SHOWN_MOST   10
#define NEAREST_MOST 3

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
    expected->cases = cases;
    expected->n_cases = n;
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
        row->is_here = true;
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

/* A case of the run, and how far its id is from that of a row. */
typedef struct neighbour {
    size_t distance, at;
} neighbour;

static bool is_nearer(const neighbour *a, const neighbour *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->at < b->at;
}

/* The nearest case that is farther than *from; NULL: than none. False if there is none. */
static bool find_next_nearest(const conf_expected *expected, const conf_expected_row *row,
                              const neighbour *from, neighbour *out)
{
    neighbour best = {SIZE_MAX, SIZE_MAX};
    for (size_t k = 0; k < expected->n_cases; k++) {
        const neighbour one = {conf_text_distance(row->id, expected->cases[k].id), k};
        if ((!from || is_nearer(from, &one)) && is_nearer(&one, &best)) best = one;
    }
    *out = best;
    return best.at != SIZE_MAX;
}

/* Prints the ids of the run's cases that are nearest to that of the row. */
static void print_nearest(FILE *out, const conf_expected *expected, const conf_expected_row *row)
{
    neighbour last, next;
    size_t n = 0;
    while (n < NEAREST_MOST && find_next_nearest(expected, row, n ? &last : NULL, &next)) {
        (void)fputs(n++ ? ", " : " (nearest: ", out);
        conf_text_print_clean(out, expected->cases[next.at].id);
        last = next;
    }
    if (n) (void)fputc(')', out);
}

static void print_engine(FILE *out, const conf_expected *expected, const conf_expected_row *row)
{
    (void)expected;
    (void)fputs(" (", out);
    conf_text_print_clean(out, row->engine ? row->engine : "engines without a row");
    (void)fputc(')', out);
}

static bool has_no_case(const conf_expected_row *row)
{
    return row->state == CONF_EXPECTED_UNSEEN && !row->is_here && !row->here;
}

static bool has_no_engine(const conf_expected_row *row)
{
    return row->state == CONF_EXPECTED_UNSEEN && !has_no_case(row);
}

static bool has_skipped_cases(const conf_expected_row *row)
{
    return row->state == CONF_EXPECTED_SKIPPED;
}

/* Names the rows of which `is` is true. print_more: what is added to each; NULL: nothing. */
static void remark_rows(const conf_expected *expected, const conf_context *context,
                        bool (*is)(const conf_expected_row *row), const char *why,
                        void (*print_more)(FILE *out, const conf_expected *expected,
                                           const conf_expected_row *row))
{
    size_t n = 0, shown = 0;
    for (size_t i = 0; i < expected->n; i++) n += is(&expected->rows[i]);
    if (n == 0) return;
    (void)fputs("assay: ", context->err);
    conf_text_print_clean(context->err, expected->path);
    (void)fprintf(context->err, ": %zu of %zu expected failures %s %s:", n, expected->n,
                  n == 1 ? "is" : "are", why);
    for (size_t i = 0; i < expected->n && shown < SHOWN_MOST; i++) {
        if (!is(&expected->rows[i])) continue;
        (void)fputs(shown++ ? ", " : " ", context->err);
        conf_text_print_clean(context->err, expected->rows[i].id);
        if (print_more) print_more(context->err, expected, &expected->rows[i]);
    }
    if (shown < n) (void)fprintf(context->err, " and %zu more", n - shown);
    (void)fputc('\n', context->err);
}

void conf_expected_remark(const conf_expected *expected, const conf_context *context)
{
    remark_rows(expected, context, has_no_case, "of no case of this run", print_nearest);
    remark_rows(expected, context, has_no_engine, "of no engine of this run", print_engine);
    remark_rows(expected, context, has_skipped_cases, "of skipped cases", NULL);
}

void conf_expected_free(conf_expected *expected)
{
    free(expected->rows);
    (void)json_object_put(expected->document);
    *expected = (conf_expected){0};
}
