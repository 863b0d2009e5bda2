/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/print.h"

#include <stdlib.h>

#include "conformance/report/bar.h"
#include "conformance/report/report.h"
#include "conformance/support/text.h"

#define ID_MIN     16
#define SHOWN_MOST 10 /* cases that only one run has */

typedef struct printing {
    FILE *out;
    const char *prefix;
    const conf_context *context;
    const conf_comparison *c;
    size_t id_width, engine_width; /* engine_width 0: there is one pair */
} printing;

static const conf_engine_column *engine_of(const conf_comparison *c, size_t pair)
{
    const conf_engine_pair *p = &c->pairs[pair];
    return p->after != SIZE_MAX ? &c->after.results->engines[p->after]
                                : &c->before.results->engines[p->before];
}

static const char *id_of(const conf_compared_case *one)
{
    return one->after ? one->after->id : one->before->id;
}

static void measure_columns(printing *p)
{
    const size_t most = p->context->columns > 60 + ID_MIN ? p->context->columns - 60 : ID_MIN;
    p->id_width = ID_MIN;
    for (size_t i = 0; i < p->c->n; i++) {
        const size_t n = conf_text_width(id_of(&p->c->at[i]));
        if (p->c->at[i].change != CONF_CHANGE_NONE && n > p->id_width) p->id_width = n;
    }
    if (p->id_width > most) p->id_width = most;
    for (size_t i = 0; p->c->n_pairs > 1 && i < p->c->n_pairs; i++) {
        const size_t n = conf_text_width(engine_of(p->c, i)->label);
        if (n > p->engine_width) p->engine_width = n < 24 ? n : 24;
    }
}

/* "   3.1e+04 FAIL (logits)", or "absent". */
static void print_side(const printing *p, const conf_verdict *v, bool is_last)
{
    char number[32] = "-";
    if (!v) {
        (void)fputs(is_last ? " absent" : " absent     ", p->out);
        return;
    }
    if (v->measured) conf_multiple_print(number, sizeof number, v->multiple);
    (void)fprintf(p->out, "%7s %s%-4s%s", number, conf_color_on(p->context, v->outcome),
                  conf_outcome_word(v->outcome), conf_color_off(p->context));
    if (v->class != CONF_CLASS_NONE) (void)fprintf(p->out, " (%s)", conf_class_name(v->class));
}

static void print_case(const printing *p, const conf_compared_case *one)
{
    (void)fprintf(p->out, "%s  ", p->prefix);
    conf_text_print_fitted(p->out, id_of(one), p->id_width);
    if (p->engine_width) {
        (void)fputs("  ", p->out);
        conf_text_print_fitted(p->out, engine_of(p->c, one->pair)->label, p->engine_width);
    }
    (void)fputs("  ", p->out);
    print_side(p, conf_compared_before(p->c, one), false);
    (void)fputs("  ->  ", p->out);
    print_side(p, conf_compared_after(p->c, one), true);
    (void)fputc('\n', p->out);
}

static void print_change(const printing *p, conf_change change)
{
    const size_t n = p->c->n_of[change];
    const bool is_alone = change == CONF_CHANGE_GONE || change == CONF_CHANGE_NEW;
    size_t shown = 0;
    if (n == 0) return;
    (void)fprintf(p->out, "%s%s: %zu\n", p->prefix, conf_change_name(change), n);
    for (size_t i = 0; i < p->c->n; i++) {
        if (p->c->at[i].change != change || (is_alone && shown == SHOWN_MOST)) continue;
        print_case(p, &p->c->at[i]);
        shown++;
    }
    if (shown < n) (void)fprintf(p->out, "%s  and %zu more\n", p->prefix, n - shown);
}

static void print_run(const printing *p, const char *what, const conf_compared_run *run)
{
    (void)fprintf(p->out, "%s%s ", p->prefix, what);
    conf_text_print_clean(p->out, run->name);
    (void)fprintf(p->out, ", %zu cases, finished %s\n", run->results->n, run->results->finished);
}

static void print_pair(const printing *p, const conf_engine_pair *pair)
{
    if (pair->before == SIZE_MAX || pair->after == SIZE_MAX) return;
    (void)fprintf(p->out, "%sengine ", p->prefix);
    conf_text_print_clean(p->out, p->c->before.results->engines[pair->before].name);
    (void)fputs("  ->  ", p->out);
    conf_text_print_clean(p->out, p->c->after.results->engines[pair->after].name);
    (void)fputc('\n', p->out);
}

static void print_speed(const printing *p, size_t pair)
{
    const conf_compared_time *t = &p->c->times[pair];
    if (t->n_cases == 0 || t->before <= 0) return;
    (void)fprintf(p->out, "%sseconds of ", p->prefix);
    conf_text_print_clean(p->out, engine_of(p->c, pair)->label);
    (void)fprintf(p->out, ": %.3g, then %.3g: %.2f times, in %zu case%s that both ran (not judged)\n",
                  t->before, t->after, t->after / t->before, t->n_cases, t->n_cases == 1 ? "" : "s");
}

static void print_totals(const printing *p)
{
    (void)fprintf(p->out, "%scompared", p->prefix);
    for (conf_change change = 0; change < CONF_N_CHANGES; change++) {
        const bool is_shown = p->c->n_of[change] || change == CONF_CHANGE_FAILS || change == CONF_CHANGE_NONE;
        if (is_shown)
            (void)fprintf(p->out, "%s %zu %s", change ? "," : ":", p->c->n_of[change],
                          conf_change_name(change));
    }
    (void)fputc('\n', p->out);
}

void conf_comparison_print(FILE *out, const char *prefix, const conf_context *context,
                           const conf_comparison *c)
{
    printing p = {.out = out, .prefix = prefix, .context = context, .c = c};
    measure_columns(&p);
    print_run(&p, "before", &c->before);
    print_run(&p, "after ", &c->after);
    for (size_t i = 0; i < c->n_pairs; i++) print_pair(&p, &c->pairs[i]);
    for (size_t i = 0; i < c->remarks.n; i++) {
        (void)fprintf(out, "%snote: ", prefix);
        conf_text_print_clean(out, c->remarks.at[i]);
        (void)fputc('\n', out);
    }
    (void)fprintf(out, "%s\n", prefix);
    for (conf_change change = 0; change < CONF_CHANGE_NONE; change++) print_change(&p, change);
    for (size_t i = 0; i < c->n_pairs; i++) print_speed(&p, i);
    print_totals(&p);
}
