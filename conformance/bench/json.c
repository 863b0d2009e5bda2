/* Speeds as one JSON document. Its members are a public interface: members may be added, not renamed.
 * json.h lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/json.h"

#include <math.h>

#include "base/error.h"
#include "conformance/bench/machine_loops.h"
#include "conformance/bench/print.h"
#include "conformance/bench/rate.h"
#include "conformance/judge/compute.h"
#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/support/json_add.h"

static double or_null(bool there, double x)
{
    return there ? x : (double)NAN;
}

static bool add_model(json_object *to, const conf_bench *b)
{
    json_object *model = json_object_new_object();
    const plan_cost *c = &b->cost;
    return conf_json_add(to, "model", model) && conf_json_add_text(model, "path", b->dir) &&
           conf_json_add_real(model, "parameters", or_null(b->has_plan, (double)b->n_parameters)) &&
           conf_json_add_real(model, "weight_bytes", or_null(b->has_plan, (double)c->weight_bytes)) &&
           conf_json_add_real(model, "multiplies", or_null(b->has_plan, (double)(c->multiplies + c->head))) &&
           conf_json_add_text(model, "note", b->no_plan);
}

static bool add_machine(json_object *to, const conf_bench *b)
{
    json_object *machine = json_object_new_object();
    const conf_machine *m = &b->machine;
    const bool measured = m->read_one > 0;
    return conf_json_add(to, "machine", machine) && conf_json_add_text(machine, "processor", b->processor) &&
           conf_json_add_count(machine, "processors", b->n_processors) &&
           conf_json_add_text(machine, "instructions", conf_loops_choose()->name) &&
           conf_json_add_count(machine, "read_bytes", b->read_bytes) &&
           conf_json_add_real(machine, "read_one", or_null(measured, m->read_one)) &&
           conf_json_add_real(machine, "read_all", or_null(measured, m->read_all)) &&
           conf_json_add_real(machine, "fma_one", or_null(measured, m->fma_one)) &&
           conf_json_add_real(machine, "fma_all", or_null(measured, m->fma_all)) &&
           conf_json_add_real(machine, "bf16_one", or_null(measured, m->bf16_one)) &&
           conf_json_add_real(machine, "bf16_all", or_null(measured, m->bf16_all)) &&
           conf_json_add_real(machine, "i8_one", or_null(measured, m->i8_one)) &&
           conf_json_add_real(machine, "i8_all", or_null(measured, m->i8_all));
}

/* Adds the value of an option, or null. */
static bool add_asked(json_object *to, const char *name, const char *text)
{
    return text ? conf_json_add_text(to, name, text) : json_object_object_add(to, name, NULL) == 0;
}

static bool add_times(json_object *to, const conf_bench_series *s)
{
    json_object *seconds = json_object_new_array(), *steps = json_object_new_array();
    bool ok = conf_json_add(to, "seconds", seconds);
    ok = conf_json_add(to, "steps", steps) && ok;
    for (size_t i = 0; ok && i < s->n_times; i++)
        ok = conf_json_append(seconds, json_object_new_double(s->times[i].seconds)) &&
             conf_json_append(steps, json_object_new_int64((int64_t)s->times[i].n_steps));
    return ok;
}

/* A series that did not pass all its measurements has times, but no speed. */
static bool add_speeds(json_object *to, const conf_bench *b, const conf_bench_point *p,
                       const conf_bench_series *s)
{
    bool passed = s->verdict.outcome == CONF_PASSED && s->n_times;
    conf_bench_rate best = {0};
    size_t peak = 0;
    if (passed) best = conf_bench_rate_of(b, p, conf_bench_best(s));
    bool limited = best.limit > 0;
    for (size_t i = 0; i < s->n_times; i++)
        if (s->times[i].peak_bytes > peak) peak = s->times[i].peak_bytes;
    const double joined = passed ? conf_bench_joined(s) : 0;
    bool ok = conf_json_add_real(to, "best", or_null(passed, best.speed)) &&
              conf_json_add_real(to, "joined", or_null(joined > 0, joined)) &&
              conf_json_add_real(to, "median", passed ? conf_bench_median(b, p, s) : (double)NAN) &&
              conf_json_add_real(to, "limit", or_null(limited, best.limit)) &&
              conf_json_add_real(to, "fraction", or_null(limited, best.speed / best.limit)) &&
              conf_json_add_real(to, "peak_bytes", or_null(passed, (double)peak));
    if (!limited) return ok && json_object_object_add(to, "bound", NULL) == 0;
    return ok && conf_json_add_text(to, "bound", best.reads ? "read" : "fma");
}

static bool add_results(json_object *to, const conf_bench *b)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(to, "results", list);
    for (size_t i = 0; ok && i < b->n_points * b->n_engines; i++) {
        const conf_bench_point *p = &b->points[i / b->n_engines];
        const conf_bench_series *s = &b->series[i];
        json_object *one = json_object_new_object();
        ok = conf_json_append(list, one) &&
             conf_json_add_text(one, "measure", conf_bench_kind_name(p->kind)) &&
             conf_json_add_text(one, "engine", b->engines[i % b->n_engines].name) &&
             conf_json_add_count(one, "prompt", p->n_tokens) &&
             conf_json_add_count(one, "images", p->pictures.n) &&
             conf_json_add_count(one, "batch", p->n_samples) &&
             conf_json_add_text(one, "outcome", conf_outcome_name(s->verdict.outcome)) &&
             conf_json_add_text(one, "class", conf_class_name(s->verdict.class)) &&
             conf_json_add_text(one, "reason", s->verdict.reason) && add_times(one, s) &&
             add_speeds(one, b, p, s);
    }
    return ok;
}

assay_status conf_bench_print_json(const conf_bench *b, FILE *out, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = document && conf_json_add_text(document, "schema", "assay-bench/1") && add_model(document, b) &&
              add_machine(document, b) && conf_json_add(document, "seed", json_object_new_uint64(b->seed)) &&
              conf_json_add_count(document, "repeat", b->n_repeats) &&
              add_asked(document, "kernels", b->kernels) &&
              add_asked(document, "compute", b->compute ? conf_compute_name(b->compute) : NULL) &&
              add_results(document, b);
    return conf_json_print_document(document, ok, out, err);
}
