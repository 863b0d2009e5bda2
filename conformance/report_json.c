/* The results as one JSON document, for programs. Members are part of the interface: they are added to, not
 * renamed. results.h lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/report_parts.h"
#include "conformance/text.h"
#include "model/error.h"

/* Adds a member; false where there was no memory for it. */
static bool add(json_object *to, const char *name, json_object *value)
{
    if (value && json_object_object_add(to, name, value) == 0) return true;
    (void)json_object_put(value);
    return false;
}

/* Text that came from files or from the command line: json-c does not look whether it is UTF-8. */
static bool add_text(json_object *to, const char *name, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (!copy) return false;
    conf_text_clean(copy);
    bool ok = add(to, name, json_object_new_string(copy));
    free(copy);
    return ok;
}

static bool add_count(json_object *to, const char *name, size_t n)
{
    return add(to, name, json_object_new_int64((int64_t)n));
}

static const char *outcome_name(conf_outcome outcome)
{
    static const char *const names[CONF_N_OUTCOMES] = {[CONF_PASSED] = "passed",
                                                       [CONF_FAILED] = "failed",
                                                       [CONF_SKIPPED] = "skipped",
                                                       [CONF_BROKEN] = "broken"};
    return names[outcome];
}

/* multiple: JSON has no infinity, and so null also where measured. */
static bool add_measure(json_object *to, const conf_verdict *v)
{
    bool finite = v->measured && isfinite(v->multiple);
    bool ok = add(to, "measured", json_object_new_boolean(v->measured)) &&
              add_text(to, "unit", conf_unit_name(v)) &&
              add(to, "bound", json_object_new_double(conf_bound_of(v)));
    if (!finite) return ok && json_object_object_add(to, "multiple", NULL) == 0;
    return ok && add(to, "multiple", json_object_new_double(v->multiple));
}

static bool fill_result(json_object *to, const conf_results *results, size_t result, size_t engine)
{
    const conf_result *r = &results->at[result];
    const conf_verdict *v = &r->verdicts[engine];
    bool ok = add_text(to, "case", r->id) && add_text(to, "path", r->path) &&
              add_text(to, "engine", results->engines[engine].name) &&
              add_text(to, "outcome", outcome_name(v->outcome)) &&
              add_text(to, "class", conf_class_name(v->class)) && add_measure(to, v) &&
              add_text(to, "stage", conf_stage_name(v->stage)) && add_text(to, "reason", v->reason) &&
              add_text(to, "where", v->where) && add_text(to, "trace", v->trace) &&
              add_text(to, "last_trace", v->last_trace) && add_text(to, "notes", v->notes) &&
              add(to, "seconds", json_object_new_double(v->seconds));
    char *repro = conf_report_repro(results, result, engine);
    ok = ok && add_text(to, "repro", repro);
    free(repro);
    return ok;
}

/* The array of all results, case by case, engine by engine. */
static bool add_results(json_object *to, const conf_results *results)
{
    json_object *array = json_object_new_array();
    if (!add(to, "results", array)) return false;
    for (size_t i = 0; i < results->n; i++) {
        for (size_t e = 0; e < results->n_engines; e++) {
            json_object *one = json_object_new_object();
            if (!one || json_object_array_add(array, one) != 0) {
                (void)json_object_put(one);
                return false;
            }
            if (!fill_result(one, results, i, e)) return false;
        }
    }
    return true;
}

static bool add_totals(json_object *to, const conf_results *results)
{
    json_object *totals = json_object_new_object();
    bool ok = add(to, "totals", totals);
    for (conf_outcome o = 0; o < CONF_N_OUTCOMES; o++)
        ok = ok && add_count(totals, outcome_name(o), conf_results_count(results, SIZE_MAX, o));
    return ok && add_count(totals, "warnings", results->n_warnings);
}

assay_status conf_json_print(FILE *out, const conf_results *results, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = document && add_text(document, "schema", "assay-results/1") && add_totals(document, results) &&
              add_results(document, results);
    const char *text = ok ? json_object_to_json_string_ext(document, JSON_C_TO_STRING_PRETTY |
                                                                         JSON_C_TO_STRING_NOSLASHESCAPE)
                          : NULL;
    if (text) (void)fprintf(out, "%s\n", text);
    (void)json_object_put(document);
    return text ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "the JSON report: out of memory");
}
