/* Speeds as a table that fits 100 columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/print.h"

#include <string.h>

#include "conformance/bench/machine_loops.h"
#include "conformance/bench/rate.h"
#include "conformance/judge/compute.h"
#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/support/text.h"

#define MEASURE_WIDTH 22
#define ENGINE_WIDTH  18

/* Formats x with three significant digits. */
static const char *format_number(double x, char text[static 32])
{
    (void)snprintf(text, 32, x < 0.1 ? "%.2g" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
    return text;
}

static void print_limit(FILE *out, const char *name, const char *unit, double scale, double one, double all,
                        size_t n_processors)
{
    char a[32], b[32];
    (void)fprintf(out, "%-12s %s %s", name, format_number(all / scale, b), unit);
    if (n_processors > 1) (void)fprintf(out, " on all processors, %s on one", format_number(one / scale, a));
}

static void print_dots(const conf_bench *b, const char *name, assay_dtype dtype, double one, double all,
                       FILE *out)
{
    const conf_dots *dots = conf_dots_choose(dtype);
    if (!dots) return;
    print_limit(out, name, dtype == ASSAY_I8 ? "GOP/s" : "GFLOP/s", 1e9, one, all, b->n_processors);
    (void)fprintf(out, ": in registers, %s\n", dots->name);
}

static void print_machine(const conf_bench *b, FILE *out)
{
    const conf_machine *m = &b->machine;
    (void)fprintf(out, "%-12s %s, %zu of them\n", "processor", b->processor, b->n_processors);
    if (m->read_one <= 0) return; /* it was not measured */
    print_limit(out, "reading", "GB/s", 1e9, m->read_one, m->read_all, b->n_processors);
    (void)fprintf(out, ": %zu MiB summed up\n", b->read_bytes >> 20);
    print_limit(out, "multiply-add", "GFLOP/s", 1e9, m->fma_one, m->fma_all, b->n_processors);
    (void)fprintf(out, ": float32 in registers, %s\n", conf_loops_choose()->name);
    print_dots(b, "of bfloat16", ASSAY_BF16, m->bf16_one, m->bf16_all, out);
    print_dots(b, "of int8", ASSAY_I8, m->i8_one, m->i8_all, out);
}

static void print_model(const conf_bench *b, FILE *out)
{
    char bytes[32], millions[32], parameters[32];
    if (b->kernels) (void)fprintf(out, "%-12s %s\n", "kernels of", b->kernels);
    if (b->compute) (void)fprintf(out, "%-12s %s\n", "computed in", conf_compute_name(b->compute));
    (void)fprintf(out, "%-12s %s\n", "model", b->dir);
    if (!b->has_plan) {
        (void)fprintf(out, "%-12s there is no limit to compare with: %s\n", "", b->no_plan);
        return;
    }
    (void)fprintf(out, "%-12s %s M parameters; a token reads %s MB of weights and takes %s M multiply-adds\n",
                  "", format_number((double)b->n_parameters / 1e6, parameters),
                  format_number((double)b->cost.weight_bytes / 1e6, bytes),
                  format_number((double)(b->cost.multiplies + b->cost.head) / 1e6, millions));
}

static void print_head(FILE *out)
{
    (void)fprintf(out, "\n%*s  %9s  %9s  %14s  %7s  %8s\n", MEASURE_WIDTH + 2 + ENGINE_WIDTH, "", "best",
                  "median", "limit", "best of", "memory");
    (void)fprintf(out, "%-*s  %-*s  %9s  %9s  %14s  %7s  %8s\n", MEASURE_WIDTH, "measure", ENGINE_WIDTH,
                  "engine", "tokens/s", "tokens/s", "tokens/s", "limit", "MiB");
}

/* "decode after 16, 8 x" */
static void name_point(const conf_bench_point *p, char *text, size_t size)
{
    static const char *const names[] = {"first token of ", "prefill ", "decode after "};
    const conf_pictures *of = &p->pictures;
    int n = of->n ? snprintf(text, size, "%s%zux%zux%zu", names[p->kind], of->width, of->height, of->n)
                  : snprintf(text, size, "%s%zu", names[p->kind], p->n_tokens);
    if (p->n_samples > 1 && n > 0 && (size_t)n < size)
        (void)snprintf(text + n, size - (size_t)n, ", %zu x", p->n_samples);
}

static size_t peak_of(const conf_bench_series *s)
{
    size_t peak = 0;
    for (size_t i = 0; i < s->n_times; i++)
        if (s->times[i].peak_bytes > peak) peak = s->times[i].peak_bytes;
    return peak;
}

/* Prints a speed; for the first token its seconds. */
static void print_speed(FILE *out, const conf_bench_point *p, double speed)
{
    char text[32];
    if (p->kind == CONF_BENCH_FIRST) (void)fprintf(out, "  %7s s", format_number(1 / speed, text));
    else (void)fprintf(out, "  %9s", format_number(speed, text));
}

static void print_times(FILE *out, const conf_bench *b, const conf_bench_point *p, const conf_bench_series *s)
{
    const conf_bench_rate best = conf_bench_rate_of(b, p, conf_bench_best(s));
    print_speed(out, p, best.speed);
    print_speed(out, p, conf_bench_median(b, p, s));
    if (best.limit > 0) {
        print_speed(out, p, best.limit);
        (void)fprintf(out, " %s  %6.1f%%", best.reads ? "read" : "fma ", 100 * best.speed / best.limit);
    } else {
        (void)fprintf(out, "  %14s  %7s", "-", "-");
    }
    (void)fprintf(out, "  %8zu\n", peak_of(s) >> 20);
}

static void print_series(const conf_bench *b, const conf_context *context, size_t point, size_t engine)
{
    const conf_bench_point *p = &b->points[point];
    const conf_bench_series *s = conf_bench_at(b, point, engine);
    char name[64] = "";
    if (engine == 0) name_point(p, name, sizeof name);
    conf_text_print_fitted(context->out, name, MEASURE_WIDTH);
    (void)fputs("  ", context->out);
    conf_text_print_fitted(context->out, b->engines[engine].label, ENGINE_WIDTH);
    if (s->verdict.outcome == CONF_PASSED) print_times(context->out, b, p, s);
    else
        (void)fprintf(context->out, "  %s%s%s\n", conf_color_on(context, s->verdict.outcome),
                      conf_outcome_word(s->verdict.outcome), conf_color_off(context));
}

/* Prints why points have no speed, once for consecutive points with the same reason. */
static void print_reasons(const conf_bench *b, FILE *out, size_t engine)
{
    const char *said = "";
    for (size_t p = 0; p < b->n_points; p++) {
        const conf_verdict *v = &conf_bench_at(b, p, engine)->verdict;
        char name[64];
        if (v->outcome == CONF_PASSED || strcmp(said, v->reason) == 0) continue;
        said = v->reason;
        name_point(&b->points[p], name, sizeof name);
        (void)fprintf(out, "%s %s, %s: %s\n", conf_outcome_word(v->outcome), b->engines[engine].label, name,
                      v->reason);
    }
}

/* The speed of a sample that has joined a session of others. */
static void print_joined(const conf_bench *b, FILE *out)
{
    for (size_t i = 0; i < b->n_points * b->n_engines; i++) {
        const conf_bench_series *s = &b->series[i];
        const double joined = conf_bench_joined(s);
        char name[64];
        if (s->verdict.outcome != CONF_PASSED || joined == 0) continue;
        name_point(&b->points[i / b->n_engines], name, sizeof name);
        (void)fprintf(out, "batch path   %.3f x single: %s, %.18s, beside %d samples at rest\n", joined, name,
                      b->engines[i % b->n_engines].label, CONF_BENCH_RESTING);
    }
}

void conf_bench_print(const conf_bench *b, const conf_context *context)
{
    print_machine(b, context->out);
    print_model(b, context->out);
    print_head(context->out);
    for (size_t p = 0; p < b->n_points; p++)
        for (size_t e = 0; e < b->n_engines; e++) print_series(b, context, p, e);
    (void)fputc('\n', context->out);
    print_joined(b, context->out);
    if (conf_bench_exit(b) != CONF_EXIT_AGREE) (void)fputc('\n', context->out);
    for (size_t e = 0; e < b->n_engines; e++) print_reasons(b, context->out, e);
}
