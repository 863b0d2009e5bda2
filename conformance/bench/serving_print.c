/* Parser speeds as a table that fits 100 columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/serving_print.h"

#include <string.h>

#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/support/text.h"

#define PARSER_WIDTH 22
#define ENGINE_WIDTH 18

static const char *kind_of(const conf_bench_parser *parser)
{
    return parser->tools ? "tools" : "reasoning";
}

static void print_head(const conf_bench_serving *b, FILE *out)
{
    const conf_bench_text *text = &b->texts[0];
    (void)fprintf(out, "%-12s %s, one of them\n", "processor", b->processor);
    (void)fprintf(out, "%-12s %d for each parser, of %zu KiB and more: prose of several scripts, and code\n",
                  "replies", CONF_BENCH_REPLIES, CONF_BENCH_REPLY_BYTES >> 10);
    (void)fprintf(out, "%-12s %s bytes long", "deltas", CONF_BENCH_DELTA_LENGTHS);
    if (text->n_deltas > 0)
        (void)fprintf(out, "; %.2f in the mean", (double)text->n_bytes / (double)text->n_deltas);
    (void)fprintf(out, "\n%-12s the same deltas, copied and not read\n\n", "limit");
    (void)fprintf(out, "%*s  %8s  %8s  %8s  %8s%s\n", PARSER_WIDTH + 2 + ENGINE_WIDTH, "", "best", "median",
                  "limit", "best of", b->n_engines > 1 ? "    times" : "");
    (void)fprintf(out, "%-*s  %-*s  %8s  %8s  %8s  %8s%s\n", PARSER_WIDTH, "parser", ENGINE_WIDTH, "engine",
                  "MB/s", "MB/s", "MB/s", "limit", b->n_engines > 1 ? "    first" : "");
}

static void print_speed(const conf_bench_serving *b, size_t parser, size_t engine, FILE *out)
{
    const conf_bench_serving_speed s = conf_bench_serving_speed_of(b, parser, engine);
    (void)fprintf(out, "  %8.1f  %8.1f  %8.1f  %7.1f%%", s.best / 1e6, s.median / 1e6, s.limit / 1e6,
                  100 * s.best / s.limit);
    if (s.ratio > 0 && b->n_engines > 1) (void)fprintf(out, "  %7.2f", s.ratio);
    (void)fputc('\n', out);
}

static void print_parser(const conf_bench_serving *b, const conf_context *context, size_t parser)
{
    const conf_bench_parser *p = conf_bench_parser_at(b->parsers[parser]);
    for (size_t e = 0; e < b->n_engines; e++) {
        const conf_verdict *v = &conf_bench_serving_at(b, parser, e)->verdict;
        char name[64] = "";
        if (e == 0) (void)snprintf(name, sizeof name, "%-9s %s", kind_of(p), p->name);
        conf_text_print_fitted(context->out, name, PARSER_WIDTH);
        (void)fputs("  ", context->out);
        conf_text_print_fitted(context->out, b->engines[e].label, ENGINE_WIDTH);
        if (v->outcome == CONF_PASSED) print_speed(b, parser, e, context->out);
        else
            (void)fprintf(context->out, "  %s%s%s\n", conf_color_on(context, v->outcome),
                          conf_outcome_word(v->outcome), conf_color_off(context));
    }
}

/* Prints why parsers have no speed, once for consecutive parsers with the same reason. */
static void print_reasons(const conf_bench_serving *b, size_t engine, FILE *out)
{
    const char *said = "";
    for (size_t p = 0; p < b->n_parsers; p++) {
        const conf_verdict *v = &conf_bench_serving_at(b, p, engine)->verdict;
        const conf_bench_parser *parser = conf_bench_parser_at(b->parsers[p]);
        if (v->outcome == CONF_PASSED || strcmp(said, v->reason) == 0) continue;
        said = v->reason;
        (void)fprintf(out, "%s %s, %s %s: %s\n", conf_outcome_word(v->outcome), b->engines[engine].label,
                      kind_of(parser), parser->name, v->reason);
    }
}

void conf_bench_serving_print(const conf_bench_serving *b, const conf_context *context)
{
    bool all = true;
    print_head(b, context->out);
    for (size_t p = 0; p < b->n_parsers; p++) print_parser(b, context, p);
    for (size_t i = 0; i < b->n_parsers * b->n_engines; i++)
        all = all && b->readings[i].verdict.outcome == CONF_PASSED;
    if (!all) (void)fputc('\n', context->out);
    for (size_t e = 0; e < b->n_engines; e++) print_reasons(b, e, context->out);
}
