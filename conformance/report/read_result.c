/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/read_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/judge/noise.h"
#include "conformance/replay/manner.h"
#include "conformance/report/report.h"
#include "conformance/support/json_strict.h"

#define ID_MAX    4096
#define REPRO_MAX 65536

assay_status conf_read_digest(const conf_json_at *object, const char *name, bool may_be_empty,
                              char out[CONF_DIGEST_MAX], assay_error *err)
{
    uint64_t hash;
    const char *text;
    const conf_json_at at = {.above = object, .name = name};
    const assay_status rc = conf_json_member_text(object, name, &text, err);
    if (rc != ASSAY_OK) return rc;
    if (!(may_be_empty && text[0] == '\0') && !conf_digest_parse(text, &hash))
        return conf_json_fail(&at, err, "found \"%.60s\", expected 16 hexadecimal digits", text);
    (void)snprintf(out, CONF_DIGEST_MAX, "%s", text);
    return ASSAY_OK;
}

assay_status conf_read_unit(const conf_json_at *object, bool *is_bound, assay_error *err)
{
    static const char *const units[] = {"noise", "bound"};
    conf_json_at at;
    size_t unit;
    assay_status rc = conf_json_member(object, "unit", json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&at, units, 2, &unit, err);
    if (rc == ASSAY_OK) *is_bound = unit == 1;
    return rc;
}

/* outcome and class: a class for failures, and for them alone. */
static assay_status read_outcome(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    const char *outcomes[CONF_N_OUTCOMES], *classes[CONF_N_CLASSES];
    conf_json_at at;
    size_t outcome, class;
    for (conf_outcome o = 0; o < CONF_N_OUTCOMES; o++) outcomes[o] = conf_outcome_name(o);
    for (conf_class c = 0; c < CONF_N_CLASSES; c++) classes[c] = conf_class_name(c);
    assay_status rc = conf_json_member(one, "outcome", json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&at, outcomes, CONF_N_OUTCOMES, &outcome, err);
    if (rc == ASSAY_OK) rc = conf_json_member(one, "class", json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&at, classes, CONF_N_CLASSES, &class, err);
    if (rc != ASSAY_OK) return rc;
    v->outcome = (conf_outcome)outcome;
    v->class = (conf_class) class;
    const bool has_class = v->outcome == CONF_FAILED || v->outcome == CONF_EXPECTED;
    if (has_class == (v->class != CONF_CLASS_NONE)) return ASSAY_OK;
    return conf_json_fail(&at, err, "found \"%s\" with outcome %s, expected %s", classes[class],
                          outcomes[outcome], has_class ? "a class" : "\"\"");
}

/* multiple: null also if it is infinite. bound: as the unit says. */
static assay_status read_measure(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    conf_json_at multiple = {.above = one, .name = "multiple"}, bound;
    assay_status rc = conf_json_boolean(one, "measured", &v->measured, err);
    if (rc == ASSAY_OK) rc = conf_read_unit(one, &v->float64, err);
    if (rc == ASSAY_OK) rc = conf_json_member(one, "bound", json_type_double, &bound, err);
    if (rc != ASSAY_OK) return rc;
    const double expected = conf_noise_limit(v->float64), found = json_object_get_double(bound.value);
    if (found < expected || found > expected)
        return conf_json_fail(&bound, err, "found %g, expected %g, that of the unit %s", found, expected,
                              conf_unit_name(v));
    if (!conf_json_find(one, "multiple", &multiple))
        return conf_json_fail(&multiple, err, "is missing, expected a number or null");
    if (!multiple.value) {
        v->multiple = v->measured ? (double)INFINITY : 0;
        return ASSAY_OK;
    }
    rc = conf_json_expect(&multiple, json_type_double, err);
    if (rc != ASSAY_OK) return rc;
    v->multiple = json_object_get_double(multiple.value);
    if (!v->measured)
        return conf_json_fail(&multiple, err, "found a number, expected null: nothing was measured");
    if (v->multiple >= 0) return ASSAY_OK;
    return conf_json_fail(&multiple, err, "found %g, expected 0 or more", v->multiple);
}

/* Only a failure has them, if rows of logits were compared. */
static assay_status read_rows(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    conf_json_at at;
    int64_t n, n_same;
    if (!conf_json_find(one, "rows", &at)) return ASSAY_OK;
    if (!v->measured || !conf_outcome_fails(v->outcome))
        return conf_json_fail(&at, err, "found a member, expected none: outcome %s, measured %s",
                              conf_outcome_name(v->outcome), v->measured ? "true" : "false");
    assay_status rc = conf_json_whole(&at, 1, INT32_MAX, &n, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(one, "same_best", 0, n, &n_same, err);
    if (rc != ASSAY_OK) return rc;
    v->n_rows = (size_t)n;
    v->n_same_best = (size_t)n_same;
    return ASSAY_OK;
}

/* Whether the numbers and texts of a result make its verdict. */
static assay_status check_judged(const conf_json_at *one, const conf_verdict *v, assay_error *err)
{
    const conf_json_at outcome = {.above = one, .name = "outcome"}, reason = {.above = one, .name = "reason"};
    const double bound = conf_noise_limit(v->float64);
    const bool is_passed = v->outcome == CONF_PASSED, exceeds = v->measured && v->multiple > bound;
    if (is_passed && exceeds)
        return conf_json_fail(&outcome, err,
                              "found passed, expected failed: the multiple is %g, of which %g are "
                              "allowed",
                              v->multiple, bound);
    if (v->class == CONF_CLASS_LOGITS && !exceeds)
        return conf_json_fail(&outcome, err,
                              "found failed with class logits, expected passed: the multiple is %g, "
                              "of which %g are allowed",
                              v->multiple, bound);
    if (is_passed == (v->reason[0] == '\0')) return ASSAY_OK;
    return conf_json_fail(&reason, err, "found \"%.60s\" with outcome %s, expected %s", v->reason,
                          conf_outcome_name(v->outcome), is_passed ? "\"\"" : "why");
}

static assay_status read_seconds(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    conf_json_at at;
    const assay_status rc = conf_json_member(one, "seconds", json_type_double, &at, err);
    if (rc != ASSAY_OK) return rc;
    v->seconds = json_object_get_double(at.value);
    return v->seconds >= 0 ? ASSAY_OK : conf_json_fail(&at, err, "found %g, expected 0 or more", v->seconds);
}

static assay_status read_stage(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    const char *names[CONF_N_STAGES];
    conf_json_at at;
    size_t stage;
    for (conf_stage s = 0; s < CONF_N_STAGES; s++) names[s] = conf_stage_name(s);
    assay_status rc = conf_json_member(one, "stage", json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&at, names, CONF_N_STAGES, &stage, err);
    if (rc == ASSAY_OK) v->stage = (conf_stage)stage;
    return rc;
}

static assay_status choose_manner(const conf_json_at *at, size_t *out, assay_error *err)
{
    const char *names[CONF_N_MANNERS];
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) names[m] = conf_manner_of(m)->name;
    return conf_json_choose(at, names, CONF_N_MANNERS, out, err);
}

static assay_status read_manner(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    const conf_json_at at = {
        .above = one, .name = "manner", .value = json_object_object_get(one->value, "manner")};
    size_t manner;
    const assay_status rc = conf_json_copy_text(one, "manner", v->manner, sizeof v->manner, err);
    return rc == ASSAY_OK && v->manner[0] ? choose_manner(&at, &manner, err) : rc;
}

/* One element of manners_left_out, which must fit into what a run has for all of them. */
static assay_status read_one_left_out(const conf_json_at *at, conf_verdict *v, assay_error *err)
{
    static const char *const known[] = {"manners", "reason", NULL};
    char names[CONF_MANNERS_TEXT_MAX] = "", reason[CONF_TEXT_MAX];
    conf_json_at all;
    const size_t before = strlen(v->left_out);
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known, err);
    if (rc == ASSAY_OK) rc = conf_json_copy_text(at, "reason", reason, sizeof reason, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "manners", json_type_array, &all, err);
    for (size_t i = 0, n = 0; rc == ASSAY_OK && i < json_object_array_length(all.value); i++) {
        const conf_json_at name = conf_json_element(&all, i);
        size_t manner;
        rc = choose_manner(&name, &manner, err);
        if (rc != ASSAY_OK) break;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                              conf_manner_of((conf_manner)manner)->name);
        if (n >= sizeof names)
            rc = conf_json_fail(&all, err, "found %zu manners or more, expected each once", i + 1);
    }
    if (rc != ASSAY_OK) return rc;
    conf_verdict_leave_out(v, names, reason);
    if (strlen(v->left_out) > before) return ASSAY_OK;
    return conf_json_fail(at, err,
                          "found a longer text than a run can have, expected at most %d bytes in all",
                          CONF_LEFT_OUT_MAX - 1);
}

static assay_status read_left_out(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    conf_json_at all;
    assay_status rc = conf_json_member(one, "manners_left_out", json_type_array, &all, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(all.value); i++) {
        const conf_json_at at = conf_json_element(&all, i);
        rc = read_one_left_out(&at, v, err);
    }
    return rc;
}

/* What --expect says of the case: only a failure can have it. */
static assay_status read_expected(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    conf_json_at at = {.above = one, .name = "expected"};
    const bool is_there = conf_json_find(one, "expected", &at);
    const bool must = v->outcome == CONF_EXPECTED || v->class == CONF_CLASS_FIXED;
    const assay_status rc =
        is_there ? conf_json_copy_text(one, "expected", v->expected, sizeof v->expected, err) : ASSAY_OK;
    if (rc != ASSAY_OK) return rc;
    if (is_there ? v->expected[0] && (must || conf_outcome_fails(v->outcome)) : !must) return ASSAY_OK;
    return conf_json_fail(&at, err, "found \"%.60s\" with outcome %s, expected %s", v->expected,
                          conf_outcome_name(v->outcome), must ? "what was expected" : "no such member");
}

/* A document of an earlier version has neither. */
static assay_status read_kind(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    conf_json_at at;
    char *family = v->checkpoint.family;
    assay_status rc = ASSAY_OK;
    if (conf_json_find(one, "kind", &at)) rc = conf_json_copy_text(one, "kind", v->kind, sizeof v->kind, err);
    if (rc == ASSAY_OK && conf_json_find(one, "family", &at))
        rc = conf_json_copy_text(one, "family", family, sizeof v->checkpoint.family, err);
    return rc;
}

static assay_status read_verdict(const conf_json_at *one, conf_verdict *v, assay_error *err)
{
    const struct {
        const char *name;
        char *text;
        size_t size;
    } texts[] = {{"reason", v->reason, sizeof v->reason},
                 {"where", v->where, sizeof v->where},
                 {"trace", v->trace, sizeof v->trace},
                 {"notes", v->notes, sizeof v->notes},
                 {"last_trace", v->last_trace, sizeof v->last_trace},
                 {"vector", v->vector, sizeof v->vector}};
    conf_json_at found = {.above = one};
    assay_status rc = read_outcome(one, v, err);
    if (rc == ASSAY_OK) rc = read_measure(one, v, err);
    if (rc == ASSAY_OK) rc = read_rows(one, v, err);
    if (rc == ASSAY_OK) rc = read_stage(one, v, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && rc == ASSAY_OK; i++)
        rc = conf_json_copy_text(one, texts[i].name, texts[i].text, texts[i].size, err);
    if (rc == ASSAY_OK) rc = read_kind(one, v, err);
    if (rc == ASSAY_OK && conf_json_find(one, "explained", &found))
        rc = conf_json_copy_text(one, "explained", v->explained, sizeof v->explained, err);
    if (rc == ASSAY_OK && conf_json_find(one, "remark", &found))
        rc = conf_json_copy_text(one, "remark", v->remark, sizeof v->remark, err);
    if (rc == ASSAY_OK) rc = read_expected(one, v, err);
    if (rc == ASSAY_OK) rc = read_manner(one, v, err);
    if (rc == ASSAY_OK) rc = read_left_out(one, v, err);
    if (rc == ASSAY_OK) rc = conf_json_boolean(one, "other_traces", &v->other_traces, err);
    if (rc == ASSAY_OK) rc = check_judged(one, v, err);
    return rc == ASSAY_OK ? read_seconds(one, v, err) : rc;
}

/* A text of at most most bytes, which the caller frees. */
static assay_status read_owned(const conf_json_at *one, const char *name, size_t most, char **out,
                               assay_error *err)
{
    conf_json_at at;
    const char *text;
    assay_status rc = conf_json_member(one, name, json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_clean_text(&at, &text, err);
    if (rc != ASSAY_OK) return rc;
    if (strlen(text) > most)
        return conf_json_fail(&at, err, "found %zu bytes, expected at most %zu", strlen(text), most);
    *out = strdup(text);
    return *out ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

/* Case, path, position and engine, which must be those of the first engine's result and of the engine. */
static assay_status read_names(const conf_json_at *one, const conf_results *all, size_t engine,
                               conf_result *r, assay_error *err)
{
    const char *texts[3], *const expected[] = {r->id, r->path, r->digest},
                                 *const names[] = {"case", "path", "digest"};
    const char *name;
    int64_t position;
    const int64_t least = engine   ? (int64_t)r->position
                          : all->n ? (int64_t)all->at[all->n - 1].position + 1
                                   : 0;
    const int64_t most = engine ? least : (int64_t)all->shard.n_selected - 1;
    assay_status rc = conf_json_member_whole(one, "position", least, most, &position, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(one, "engine", &name, err);
    if (rc != ASSAY_OK) return rc;
    const conf_json_at at = {.above = one, .name = "engine"};
    if (strcmp(name, all->engines[engine].name) != 0)
        return conf_json_fail(&at, err, "found \"%.60s\", expected \"%.60s\", engine %zu", name,
                              all->engines[engine].name, engine);
    r->position = (size_t)position;
    if (!engine) {
        rc = conf_read_digest(one, "digest", true, r->digest, err);
        if (rc == ASSAY_OK) rc = read_owned(one, "case", ID_MAX, &r->id, err);
        return rc == ASSAY_OK ? read_owned(one, "path", ID_MAX, &r->path, err) : rc;
    }
    for (size_t i = 0; i < 3; i++) {
        const conf_json_at text = {.above = one, .name = names[i]};
        rc = conf_json_member_text(one, names[i], &texts[i], err);
        if (rc != ASSAY_OK) return rc;
        if (strcmp(texts[i], expected[i]) != 0)
            return conf_json_fail(&text, err, "found \"%.60s\", expected \"%.60s\", as with the first engine",
                                  texts[i], expected[i]);
    }
    return ASSAY_OK;
}

static assay_status read_one(const conf_json_at *one, const conf_results *all, size_t engine, conf_result *r,
                             assay_error *err)
{
    static const char *const known[] = {
        "case",  "path",       "engine",  "position", "outcome", "class",        "unit",   "measured",
        "bound", "multiple",   "stage",   "reason",   "where",   "vector",       "manner", "manners_left_out",
        "trace", "last_trace", "notes",   "seconds",  "repro",   "other_traces", "digest", "expected",
        "rows",  "same_best",  "profile", "kind",     "family",  "explained",    "remark", NULL};
    assay_status rc = conf_json_expect(one, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(one, known, err);
    if (rc == ASSAY_OK) rc = read_names(one, all, engine, r, err);
    if (rc == ASSAY_OK) rc = read_verdict(one, &r->verdicts[engine], err);
    return rc == ASSAY_OK ? read_owned(one, "repro", REPRO_MAX, &r->repros[engine], err) : rc;
}

/* The results of one case, from element `first` on. */
static assay_status read_case(const conf_json_at *array, size_t first, conf_results *out, assay_error *err)
{
    conf_result r = {.verdicts = calloc(out->n_engines, sizeof *r.verdicts),
                     .repros = calloc(out->n_engines, sizeof *r.repros)};
    assay_status rc = r.verdicts && r.repros ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t e = 0; e < out->n_engines && rc == ASSAY_OK; e++) {
        const conf_json_at one = conf_json_element(array, first + e);
        rc = read_one(&one, out, e, &r, err);
    }
    if (rc == ASSAY_OK) out->at[out->n++] = r;
    else conf_result_free(&r, out->n_engines);
    return rc;
}

assay_status conf_read_results(const conf_json_at *document, conf_results *out, assay_error *err)
{
    conf_json_at array;
    assay_status rc = conf_json_member(document, "results", json_type_array, &array, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(array.value), n_engines = out->n_engines;
    if (n_engines == 0 ? n > 0 : n % n_engines != 0)
        return conf_json_fail(&array, err,
                              "found %zu elements, expected one for each of %zu engines and each case", n,
                              n_engines);
    out->at = calloc(n + 1, sizeof *out->at);
    if (!out->at) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", document->name);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i += n_engines) rc = read_case(&array, i, out, err);
    return rc;
}
