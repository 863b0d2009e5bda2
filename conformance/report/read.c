/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/abi/engine.h"
#include "conformance/exec/engine.h"
#include "conformance/judge/compute.h"
#include "conformance/report/json.h"
#include "conformance/report/machines.h"
#include "conformance/report/profile_json.h"
#include "conformance/report/read_result.h"
#include "conformance/report/report.h"
#include "conformance/support/json_strict.h"

#define ENGINES_MAX 4096
#define SHARDS_MAX  1000000
#define CASES_MAX   10000000

static assay_status check_schema(const conf_json_at *document, assay_error *err)
{
    const char *schema;
    const assay_status rc = conf_json_member_text(document, "schema", &schema, err);
    if (rc != ASSAY_OK || strcmp(schema, CONF_JSON_SCHEMA) == 0) return rc;
    const conf_json_at at = {.above = document, .name = "schema"};
    (void)conf_json_fail(&at, err, "found \"%.60s\", expected \"" CONF_JSON_SCHEMA "\"", schema);
    if (err) err->status = ASSAY_EUNSUPPORTED;
    return ASSAY_EUNSUPPORTED;
}

static assay_status check_members(const conf_json_at *document, assay_error *err)
{
    static const char *const known[] = {"schema",  "kernels",  "kernels_module", "compute", "settings",
                                        "engines", "machines", "shard",          "totals",  "results",
                                        NULL};
    return conf_json_only(document, known, err);
}

static assay_status read_kernels(const conf_json_at *document, conf_results *out, assay_error *err)
{
    const char *name = NULL;
    assay_status rc = conf_json_text_or_null(document, "kernels", &out->kernels, err);
    if (rc == ASSAY_OK) rc = conf_read_digest(document, "kernels_module", true, out->kernels_module, err);
    if (rc == ASSAY_OK) rc = conf_json_text_or_null(document, "compute", &name, err);
    if (rc != ASSAY_OK || !name) return rc;
    out->compute = conf_compute_of(name);
    if (out->compute) return ASSAY_OK;
    const conf_json_at at = {.above = document, .name = "compute"};
    return conf_json_fail(&at, err, "found \"%.60s\", expected null or the name of a compute type", name);
}

/* Only their types, and the digest of the file of --expect: they are compared with those of other shards, and
 * written again. */
static assay_status check_settings(const conf_json_at *document, conf_results *out, assay_error *err)
{
    static const char *const known[] = {"version",       "manner",        "vector", "seed",
                                        "timeout",       "timeout_fixed", "memory", "allow_unknown",
                                        "context_shift", "expected",      NULL};
    static const char *const texts[] = {"manner", "vector"};
    conf_json_at settings, at;
    const char *text;
    assay_status rc = conf_json_member(document, "settings", json_type_object, &settings, err);
    if (rc == ASSAY_OK) rc = conf_json_only(&settings, known, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&settings, "version", &text, err);
    if (rc == ASSAY_OK && conf_json_find(&settings, "expected", &at))
        rc = conf_read_digest(&settings, "expected", false, out->expected, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && rc == ASSAY_OK; i++)
        rc = conf_json_text_or_null(&settings, texts[i], &text, err);
    if (rc == ASSAY_OK) rc = conf_json_whole_or_null(&settings, "seed", err);
    if (rc == ASSAY_OK) rc = conf_json_whole_or_null(&settings, "memory", err);
    if (rc == ASSAY_OK) rc = conf_json_whole_or_null(&settings, "context_shift", err);
    if (rc == ASSAY_OK) rc = conf_json_member(&settings, "timeout", json_type_double, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&settings, "timeout_fixed", json_type_boolean, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&settings, "allow_unknown", json_type_array, &at, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(at.value); i++) {
        const conf_json_at name = conf_json_element(&at, i);
        rc = conf_json_clean_text(&name, &text, err);
    }
    return rc;
}

static assay_status read_engine(const conf_json_at *at, conf_engine_column *out, assay_error *err)
{
    static const char *const known[] = {"engine", "unit", "version", "module", NULL};
    conf_json_at name;
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "engine", json_type_string, &name, err);
    if (rc == ASSAY_OK) rc = conf_json_clean_text(&name, &out->name, err);
    if (rc == ASSAY_OK) rc = conf_read_unit(at, &out->float64, err);
    if (rc == ASSAY_OK) rc = conf_json_copy_text(at, "version", out->version, sizeof out->version, err);
    if (rc == ASSAY_OK) rc = conf_read_digest(at, "module", exec_engine_is(out->name), out->module, err);
    if (rc == ASSAY_OK) out->label = conf_engine_label(out->name);
    return rc;
}

static assay_status read_engines(const conf_json_at *document, conf_results *out, assay_error *err)
{
    conf_json_at all;
    assay_status rc = conf_json_member(document, "engines", json_type_array, &all, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(all.value);
    if (n > ENGINES_MAX)
        return conf_json_fail(&all, err, "found %zu elements, expected at most %d", n, ENGINES_MAX);
    out->engines = calloc(n + 1, sizeof *out->engines);
    if (!out->engines) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", document->name);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at one = conf_json_element(&all, i);
        rc = read_engine(&one, &out->engines[i], err);
        if (rc == ASSAY_OK) out->n_engines++;
    }
    return rc;
}

static assay_status read_hash(const conf_json_at *shard, const char *name, uint64_t *out, assay_error *err)
{
    char text[CONF_DIGEST_MAX];
    const assay_status rc = conf_read_digest(shard, name, false, text, err);
    if (rc == ASSAY_OK) (void)conf_digest_parse(text, out);
    return rc;
}

static bool is_stamp(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    for (size_t i = 0; i < sizeof form; i++) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !is_digit : text[i] != form[i]) return false;
    }
    return true;
}

static assay_status read_finished(const conf_json_at *shard, char out[CONF_STAMP], assay_error *err)
{
    const char *text;
    const conf_json_at at = {.above = shard, .name = "finished"};
    const assay_status rc = conf_json_member_text(shard, "finished", &text, err);
    if (rc != ASSAY_OK) return rc;
    if (!is_stamp(text))
        return conf_json_fail(&at, err, "found \"%.60s\", expected a time such as 2026-11-28T03:04:05.678Z",
                              text);
    (void)snprintf(out, CONF_STAMP, "%s", text);
    return ASSAY_OK;
}

static assay_status read_passed_over(const conf_json_at *shard, conf_results *out, assay_error *err)
{
    conf_json_at all, ids;
    assay_status rc = conf_json_member(shard, "passed_over", json_type_array, &all, err);
    if (rc == ASSAY_OK) rc = conf_json_member(shard, "passed_over_cases", json_type_array, &ids, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(all.value), n_ids = json_object_array_length(ids.value);
    if (n_ids != n)
        return conf_json_fail(&ids, err, "found %zu elements, expected %zu, as in passed_over", n_ids, n);
    out->passed_over = calloc(n + 1, sizeof *out->passed_over);
    if (!out->passed_over) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", shard->above->name);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at one = conf_json_element(&all, i);
        const conf_json_at id = conf_json_element(&ids, i);
        const int64_t least = i ? (int64_t)out->passed_over[i - 1].position + 1 : 0;
        int64_t position;
        const char *text;
        rc = conf_json_whole(&one, least, (int64_t)out->shard.n_selected - 1, &position, err);
        if (rc == ASSAY_OK) rc = conf_json_clean_text(&id, &text, err);
        if (rc != ASSAY_OK) break;
        out->passed_over[i] = (conf_passed_over){(size_t)position, strdup(text)};
        if (out->passed_over[i].id) out->n_passed_over++;
        else rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", shard->above->name);
    }
    return rc;
}

static assay_status read_shard(const conf_json_at *document, conf_results *out, assay_error *err)
{
    static const char *const known[] = {
        "index",       "total",    "selected", "selection",         "passed_over",
        "interrupted", "finished", "division", "passed_over_cases", NULL};
    conf_json_at shard;
    int64_t index = 0, total = 0, selected = 0;
    assay_status rc = conf_json_member(document, "shard", json_type_object, &shard, err);
    if (rc == ASSAY_OK) rc = conf_json_only(&shard, known, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&shard, "total", 1, SHARDS_MAX, &total, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&shard, "index", 1, total, &index, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&shard, "selected", 0, CASES_MAX, &selected, err);
    if (rc == ASSAY_OK) rc = read_hash(&shard, "selection", &out->shard.selection, err);
    if (rc == ASSAY_OK) rc = read_hash(&shard, "division", &out->shard.division, err);
    if (rc == ASSAY_OK) rc = conf_json_boolean(&shard, "interrupted", &out->interrupted, err);
    if (rc == ASSAY_OK) rc = read_finished(&shard, out->finished, err);
    if (rc != ASSAY_OK) return rc;
    out->shard.index = (size_t)index;
    out->shard.total = (size_t)total;
    out->shard.n_selected = (size_t)selected;
    return read_passed_over(&shard, out, err);
}

/* The totals must be those of the results, of which none has been lost then. */
static assay_status check_totals(const conf_json_at *document, conf_results *out, assay_error *err)
{
    static const char *const known[] = {"passed",   "failed",   "skipped", "broken",
                                        "warnings", "expected", NULL};
    conf_json_at totals, at;
    int64_t found;
    assay_status rc = conf_json_member(document, "totals", json_type_object, &totals, err);
    if (rc == ASSAY_OK) rc = conf_json_only(&totals, known, err);
    for (conf_outcome o = 0; o < CONF_N_OUTCOMES && rc == ASSAY_OK; o++) {
        const size_t n = conf_results_count(out, SIZE_MAX, o);
        const bool is_there = conf_json_find(&totals, conf_outcome_name(o), &at);
        if (o == CONF_EXPECTED && !out->expected[0] && n == 0 && !is_there) continue;
        rc = conf_json_member(&totals, conf_outcome_name(o), json_type_int, &at, err);
        if (rc == ASSAY_OK) rc = conf_json_whole(&at, 0, INT64_MAX, &found, err);
        if (rc == ASSAY_OK && (uint64_t)found != n)
            rc = conf_json_fail(&at, err, "found %lld, expected %zu, as many as results have that outcome",
                                (long long)found, n);
    }
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&totals, "warnings", 0, INT32_MAX, &found, err);
    if (rc == ASSAY_OK) out->n_warnings = (size_t)found;
    return rc;
}

static assay_status read_document(const conf_json_at *document, conf_results *out, assay_error *err)
{
    assay_status rc = conf_json_expect(document, json_type_object, err);
    if (rc == ASSAY_OK) rc = check_schema(document, err);
    if (rc == ASSAY_OK) rc = check_members(document, err);
    if (rc == ASSAY_OK) rc = read_kernels(document, out, err);
    if (rc == ASSAY_OK) rc = check_settings(document, out, err);
    if (rc == ASSAY_OK) rc = read_engines(document, out, err);
    if (rc == ASSAY_OK) rc = conf_machines_read(document, out, err);
    if (rc == ASSAY_OK) rc = read_shard(document, out, err);
    if (rc == ASSAY_OK) rc = conf_read_results(document, out, err);
    if (rc == ASSAY_OK) rc = check_totals(document, out, err);
    return rc == ASSAY_OK ? conf_profiles_read(document, out, err) : rc;
}

assay_status conf_results_take(const char *path, json_object *document, conf_results *out, assay_error *err)
{
    const conf_json_at at = {.name = path, .value = document};
    conf_results results = {.document = document};
    const assay_status rc = read_document(&at, &results, err);
    if (rc == ASSAY_OK) {
        json_object_object_del(document, "results");
        *out = results;
    } else {
        conf_results_free(&results);
    }
    return rc;
}

assay_status conf_results_read(const char *path, conf_results *out, assay_error *err)
{
    json_object *document;
    const assay_status rc = json_read(path, &document, err);
    return rc == ASSAY_OK ? conf_results_take(path, document, out, err) : rc;
}
