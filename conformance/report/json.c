/* The results as one JSON document, for programs. Members are part of the interface: they are added to, not
 * renamed. json.h lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "config.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/report/machines.h"
#include "conformance/report/profile_json.h"
#include "conformance/report/report.h"
#include "conformance/support/json_add.h"

/* multiple: null also if it is infinite, which JSON cannot represent. */
static bool add_measure(json_object *to, const conf_verdict *v)
{
    return conf_json_add(to, "measured", json_object_new_boolean(v->measured)) &&
           conf_json_add_text(to, "unit", conf_unit_name(v)) &&
           conf_json_add(to, "bound", json_object_new_double(conf_noise_limit(v->float64))) &&
           conf_json_add_real(to, "multiple", v->measured ? v->multiple : (double)NAN) &&
           (!v->n_rows || !conf_outcome_fails(v->outcome) ||
            (conf_json_add_count(to, "rows", v->n_rows) &&
             conf_json_add_count(to, "same_best", v->n_same_best)));
}

/* names: separated by ", ". */
static bool add_names(json_object *to, const char *names)
{
    json_object *array = json_object_new_array();
    bool ok = conf_json_add(to, "manners", array);
    for (char name[CONF_MANNER_NAME_MAX]; ok && conf_verdict_take_name(&names, name);)
        ok = conf_json_append(array, json_object_new_string(name));
    return ok;
}

static bool add_left_out(json_object *to, const conf_verdict *v)
{
    char names[CONF_MANNERS_TEXT_MAX], reason[CONF_TEXT_MAX];
    json_object *array = json_object_new_array();
    bool ok = conf_json_add(to, "manners_left_out", array);
    for (size_t at = 0; ok && conf_verdict_left_out(v, &at, names, reason);) {
        json_object *one = json_object_new_object();
        ok = conf_json_append(array, one) && add_names(one, names) &&
             conf_json_add_text(one, "reason", reason);
    }
    return ok;
}

static bool fill_result(json_object *to, const conf_results *results, size_t result, size_t engine)
{
    const conf_result *r = &results->at[result];
    const conf_verdict *v = &r->verdicts[engine];
    bool ok = conf_json_add_text(to, "case", r->id) && conf_json_add_text(to, "path", r->path) &&
              conf_json_add_text(to, "engine", results->engines[engine].name) &&
              conf_json_add_count(to, "position", r->position) &&
              conf_json_add_text(to, "digest", r->digest) && conf_json_add_text(to, "kind", v->kind) &&
              conf_json_add_text(to, "family", v->checkpoint.family) &&
              conf_json_add_text(to, "outcome", conf_outcome_name(v->outcome)) &&
              conf_json_add_text(to, "class", conf_class_name(v->class)) && add_measure(to, v) &&
              conf_json_add_text(to, "stage", conf_stage_name(v->stage)) &&
              conf_json_add_text(to, "reason", v->reason) && conf_json_add_text(to, "where", v->where) &&
              conf_json_add_text(to, "vector", v->vector) && conf_json_add_text(to, "manner", v->manner) &&
              add_left_out(to, v) && conf_json_add_text(to, "trace", v->trace) &&
              conf_json_add_text(to, "last_trace", v->last_trace) &&
              conf_json_add(to, "other_traces", json_object_new_boolean(v->other_traces)) &&
              conf_json_add_text(to, "notes", v->notes) &&
              conf_json_add(to, "seconds", json_object_new_double(v->seconds));
    if (v->remark[0]) ok = ok && conf_json_add_text(to, "remark", v->remark);
    if (v->explained[0]) ok = ok && conf_json_add_text(to, "explained", v->explained);
    if (v->expected[0]) ok = ok && conf_json_add_text(to, "expected", v->expected);
    if (r->profiles) ok = ok && conf_json_add_profile(to, r->profiles[engine]);
    char *repro = conf_report_repro(results, result, engine);
    ok = ok && conf_json_add_text(to, "repro", repro);
    free(repro);
    return ok;
}

/* The array of all results, case by case, engine by engine. */
static bool add_results(json_object *to, const conf_results *results)
{
    json_object *array = json_object_new_array();
    if (!conf_json_add(to, "results", array)) return false;
    for (size_t i = 0; i < results->n; i++) {
        for (size_t e = 0; e < results->n_engines; e++) {
            json_object *one = json_object_new_object();
            if (!conf_json_append(array, one) || !fill_result(one, results, i, e)) return false;
        }
    }
    return true;
}

static bool add_engines(json_object *to, const conf_results *results)
{
    json_object *array = json_object_new_array();
    bool ok = conf_json_add(to, "engines", array);
    for (size_t e = 0; ok && e < results->n_engines; e++) {
        json_object *one = json_object_new_object();
        const conf_engine_column *column = &results->engines[e];
        ok = conf_json_append(array, one) && conf_json_add_text(one, "engine", column->name) &&
             conf_json_add_text(one, "unit", column->float64 ? "bound" : "noise") &&
             conf_json_add_text(one, "version", column->version) &&
             conf_json_add_text(one, "module", column->module);
    }
    return ok;
}

/* text NULL: null. */
static bool add_optional_text(json_object *to, const char *name, const char *text)
{
    return text ? conf_json_add_text(to, name, text) : json_object_object_add(to, name, NULL) == 0;
}

/* The options that change results: shards with different ones are not shards of one run. */
static bool fill_settings(json_object *to, const conf_results *results)
{
    const conf_limits *limits = &results->limits;
    json_object *allowed = json_object_new_array();
    bool ok = conf_json_add_text(to, "version", PACKAGE_VERSION) &&
              add_optional_text(to, "manner", results->manner) &&
              add_optional_text(to, "vector", results->vector);
    if (results->expected[0]) ok = ok && conf_json_add_text(to, "expected", results->expected);
    if (results->seed) ok = ok && conf_json_add(to, "seed", json_object_new_uint64(*results->seed));
    else ok = ok && json_object_object_add(to, "seed", NULL) == 0;
    if (results->context_shift) ok = ok && conf_json_add_count(to, "context_shift", results->context_shift);
    else ok = ok && json_object_object_add(to, "context_shift", NULL) == 0;
    ok = ok && conf_json_add_real(to, "timeout", limits->seconds) &&
         conf_json_add(to, "timeout_fixed", json_object_new_boolean(limits->fixed));
    if (limits->mib != conf_mib_default()) ok = ok && conf_json_add_count(to, "memory", limits->mib);
    else ok = ok && json_object_object_add(to, "memory", NULL) == 0;
    if (!conf_json_add(to, "allow_unknown", allowed)) return false;
    for (const char *const *name = results->allow_unknown; ok && name && *name; name++)
        ok = conf_json_append(allowed, json_object_new_string(*name));
    return ok;
}

json_object *conf_json_settings(const conf_results *results)
{
    json_object *settings = json_object_object_get(results->document, "settings");
    if (settings) return json_object_get(settings);
    settings = json_object_new_object();
    if (settings && fill_settings(settings, results)) return settings;
    (void)json_object_put(settings);
    return NULL;
}

static bool add_shard(json_object *to, const conf_results *results)
{
    const conf_shard *s = &results->shard;
    char selection[CONF_DIGEST_MAX], division[CONF_DIGEST_MAX];
    json_object *shard = json_object_new_object(), *passed = json_object_new_array(),
                *ids = json_object_new_array();
    conf_digest_print(s->selection, selection);
    conf_digest_print(s->division, division);
    bool ok = conf_json_add(to, "shard", shard);
    ok = conf_json_add(shard, "passed_over", passed) && ok;
    ok = conf_json_add(shard, "passed_over_cases", ids) && ok &&
         conf_json_add_count(shard, "index", s->index) && conf_json_add_count(shard, "total", s->total) &&
         conf_json_add_count(shard, "selected", s->n_selected) &&
         conf_json_add_text(shard, "selection", selection) &&
         conf_json_add_text(shard, "division", division) &&
         conf_json_add(shard, "interrupted", json_object_new_boolean(results->interrupted)) &&
         conf_json_add_text(shard, "finished", results->finished);
    for (size_t i = 0; ok && i < results->n_passed_over; i++)
        ok = conf_json_append(passed, json_object_new_int64((int64_t)results->passed_over[i].position)) &&
             conf_json_append(ids, json_object_new_string(results->passed_over[i].id));
    return ok;
}

static bool add_kernels(json_object *to, const conf_results *results)
{
    if (!results->kernels) return json_object_object_add(to, "kernels", NULL) == 0;
    return conf_json_add_text(to, "kernels", results->kernels);
}

static bool add_compute(json_object *to, const conf_results *results)
{
    if (!results->compute) return json_object_object_add(to, "compute", NULL) == 0;
    return conf_json_add_text(to, "compute", conf_compute_name(results->compute));
}

static bool add_totals(json_object *to, const conf_results *results)
{
    json_object *totals = json_object_new_object();
    bool ok = conf_json_add(to, "totals", totals);
    for (conf_outcome o = 0; o < CONF_N_OUTCOMES; o++)
        if (o != CONF_EXPECTED || results->expected[0])
            ok = ok &&
                 conf_json_add_count(totals, conf_outcome_name(o), conf_results_count(results, SIZE_MAX, o));
    return ok && conf_json_add_count(totals, "warnings", results->n_warnings);
}

assay_status conf_json_print(FILE *out, const conf_results *results, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = document && conf_json_add_text(document, "schema", CONF_JSON_SCHEMA) &&
              add_kernels(document, results) &&
              conf_json_add_text(document, "kernels_module", results->kernels_module) &&
              add_compute(document, results) &&
              conf_json_add(document, "settings", conf_json_settings(results)) &&
              add_engines(document, results) && conf_machines_add(document, results) &&
              add_shard(document, results) && add_totals(document, results) && add_results(document, results);
    return conf_json_print_document(document, ok, out, err);
}
