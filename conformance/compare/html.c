/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/html.h"

#include <math.h>
#include <stdlib.h>

#include "conformance/judge/noise.h"
#include "conformance/report/bar.h"
#include "conformance/report/checks.h"
#include "conformance/report/report.h"

/* In multiples of the bound; NaN: not measured. */
static double error_of(const conf_verdict *v)
{
    return v && v->measured ? v->multiple / conf_noise_limit(v->float64) : (double)NAN;
}

/* "passed with 0.30 times the bound", "failed (logits) with 3.1e+04 times the bound" or "absent". */
static void describe(const conf_verdict *v, char *text, size_t size)
{
    char number[32] = "";
    if (v && v->measured) conf_multiple_print(number, sizeof number, error_of(v));
    if (!v) (void)snprintf(text, size, "absent");
    else
        (void)snprintf(text, size, "%s%s%s%s%s%s%s", conf_outcome_name(v->outcome), v->class ? " (" : "",
                       conf_class_name(v->class), v->class ? ")" : "", number[0] ? " with " : "", number,
                       number[0] ? " times the bound" : "");
}

static assay_status add_change(conf_checks *list, const conf_comparison *c, const conf_compared_case *one,
                               assay_error *err)
{
    const conf_verdict *before = conf_compared_before(c, one), *after = conf_compared_after(c, one);
    char sides[2][128], text[512], group[256];
    const conf_engine_pair *pair = &c->pairs[one->pair];
    const conf_engine_column *engine = pair->after != SIZE_MAX ? &c->after.results->engines[pair->after]
                                                               : &c->before.results->engines[pair->before];
    describe(before, sides[0], sizeof sides[0]);
    describe(after, sides[1], sizeof sides[1]);
    (void)snprintf(text, sizeof text, "%s, then %s", sides[0], sides[1]);
    (void)snprintf(group, sizeof group, "%s; %.200s", conf_change_name(one->change), engine->label);
    const bool is_new = one->change == CONF_CHANGE_FAILS;
    const assay_status rc = conf_checks_add(list, one->after ? one->after->id : one->before->id, group,
                                            is_new  ? CONF_FAILED
                                            : after ? after->outcome
                                                    : CONF_SKIPPED,
                                            error_of(after), text, NULL, err);
    if (rc == ASSAY_OK) conf_checks_set_before(list, error_of(before));
    return rc;
}

/* The runs, and what makes them hard to compare, in one text; NULL if out of memory. The caller frees it. */
static char *summarize(const conf_comparison *c)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fprintf(out, "%s, finished %s, then %s, finished %s.", c->before.name, c->before.results->finished,
                  c->after.name, c->after.results->finished);
    for (size_t i = 0; i < c->remarks.n; i++) (void)fprintf(out, " Note: %s.", c->remarks.at[i]);
    for (size_t i = 0; i < c->n_pairs; i++)
        if (c->times[i].n_cases && c->times[i].before > 0)
            (void)fprintf(out, " Seconds of %zu cases: %.3g, then %.3g.", c->times[i].n_cases,
                          c->times[i].before, c->times[i].after);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

assay_status conf_comparison_print_html(FILE *out, const conf_comparison *c, assay_error *err)
{
    conf_checks list = {0};
    assay_status rc = ASSAY_OK;
    char *summary = summarize(c);
    for (conf_change change = 0; change < CONF_CHANGE_NONE; change++)
        for (size_t i = 0; i < c->n && rc == ASSAY_OK; i++)
            if (c->at[i].change == change) rc = add_change(&list, c, &c->at[i], err);
    if (rc == ASSAY_OK)
        conf_checks_print_html(out, &list, "Assay: what changed between two runs", "change; engine",
                               summary ? summary : "", NULL);
    free(summary);
    conf_checks_free(&list);
    return rc;
}
