/* Parser speeds as one JSON document. Its members are a public interface: members may be added, not
 * renamed. serving_json.h lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/serving_json.h"

#include <math.h>

#include "conformance/report/report.h"
#include "conformance/report/results.h"
#include "conformance/support/json_add.h"

static double or_null(double x)
{
    return x > 0 ? x : (double)NAN;
}

static bool add_seconds(json_object *to, const conf_bench_readings *r)
{
    json_object *seconds = json_object_new_array(), *limits = json_object_new_array();
    bool ok = conf_json_add(to, "seconds", seconds);
    ok = conf_json_add(to, "limit_seconds", limits) && ok;
    for (size_t i = 0; ok && i < r->n; i++)
        ok = conf_json_append(seconds, json_object_new_double(r->at[i].seconds)) &&
             conf_json_append(limits, json_object_new_double(r->at[i].limit_seconds));
    return ok;
}

static bool add_speeds(json_object *to, const conf_bench_serving_speed *s)
{
    return conf_json_add_real(to, "best", or_null(s->best)) &&
           conf_json_add_real(to, "median", or_null(s->median)) &&
           conf_json_add_real(to, "limit", or_null(s->limit)) &&
           conf_json_add_real(to, "fraction", s->best / s->limit) &&
           conf_json_add_real(to, "ratio", or_null(s->ratio));
}

static bool add_results(json_object *to, const conf_bench_serving *b)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(to, "results", list);
    for (size_t i = 0; ok && i < b->n_parsers * b->n_engines; i++) {
        const size_t p = i / b->n_engines, e = i % b->n_engines;
        const conf_bench_parser *parser = conf_bench_parser_at(b->parsers[p]);
        const conf_bench_readings *r = conf_bench_serving_at(b, p, e);
        const conf_bench_serving_speed speed = conf_bench_serving_speed_of(b, p, e);
        json_object *one = json_object_new_object();
        ok = conf_json_append(list, one) &&
             conf_json_add_text(one, "measure", parser->tools ? "tools" : "reasoning") &&
             conf_json_add_text(one, "parser", parser->name) &&
             conf_json_add_text(one, "engine", b->engines[e].name) &&
             conf_json_add_count(one, "bytes", b->texts[p].n_bytes) &&
             conf_json_add_count(one, "deltas", b->texts[p].n_deltas) &&
             conf_json_add_text(one, "outcome", conf_outcome_name(r->verdict.outcome)) &&
             conf_json_add_text(one, "class", conf_class_name(r->verdict.class)) &&
             conf_json_add_text(one, "reason", r->verdict.reason) && add_seconds(one, r) &&
             add_speeds(one, &speed);
    }
    return ok;
}

assay_status conf_bench_serving_print_json(const conf_bench_serving *b, FILE *out, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = document && conf_json_add_text(document, "schema", "assay-bench-serving/1") &&
              conf_json_add_text(document, "processor", b->processor) &&
              conf_json_add(document, "seed", json_object_new_uint64(b->seed)) &&
              conf_json_add_count(document, "repeat", b->n_repeats) && add_results(document, b);
    return conf_json_print_document(document, ok, out, err);
}
