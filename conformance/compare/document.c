/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/document.h"

#include <math.h>
#include <stdlib.h>

#include "conformance/info/member.h"
#include "conformance/report/report.h"

static bool add_run(json_object *to, const char *name, const conf_compared_run *run)
{
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add_text(one, "name", run->name) &&
           conf_json_add_text(one, "finished", run->results->finished);
}

static bool add_engine_name(json_object *to, const char *name, const conf_compared_run *run, size_t engine)
{
    if (engine == SIZE_MAX) return conf_json_add_null(to, name);
    return conf_json_add_text(to, name, run->results->engines[engine].name);
}

static bool add_engines(json_object *to, const conf_comparison *c)
{
    json_object *array = conf_json_add_array(to, "engines");
    bool ok = array;
    for (size_t i = 0; ok && i < c->n_pairs; i++) {
        json_object *one = conf_json_append_object(array);
        ok = add_engine_name(one, "before", &c->before, c->pairs[i].before) &&
             add_engine_name(one, "after", &c->after, c->pairs[i].after) &&
             conf_json_add_real(one, "seconds_before", c->times[i].before) &&
             conf_json_add_real(one, "seconds_after", c->times[i].after) &&
             conf_json_add_count(one, "cases", c->times[i].n_cases);
    }
    return ok;
}

static bool add_totals(json_object *to, const conf_comparison *c)
{
    json_object *totals = conf_json_add_object(to, "totals");
    bool ok = totals;
    for (conf_change change = 0; ok && change < CONF_N_CHANGES; change++)
        if (change != CONF_CHANGE_EXPECTED || c->n_of[change])
            ok = conf_json_add_count(totals, conf_change_name(change), c->n_of[change]);
    return ok;
}

static bool add_side(json_object *to, const char *name, const conf_verdict *v)
{
    if (!v) return conf_json_add_null(to, name);
    json_object *one = conf_json_add_object(to, name);
    return conf_json_add_text(one, "outcome", conf_outcome_name(v->outcome)) &&
           conf_json_add_text(one, "class", conf_class_name(v->class)) &&
           conf_json_add_text(one, "unit", conf_unit_name(v)) &&
           conf_json_add_real(one, "multiple", v->measured ? v->multiple : (double)NAN) &&
           conf_json_add_real(one, "seconds", v->seconds);
}

static bool add_change(json_object *array, const conf_comparison *c, const conf_compared_case *one)
{
    json_object *to = conf_json_append_object(array);
    const conf_engine_pair *pair = &c->pairs[one->pair];
    const bool is_after = pair->after != SIZE_MAX;
    return conf_json_add_text(to, "case", one->after ? one->after->id : one->before->id) &&
           add_engine_name(to, "engine", is_after ? &c->after : &c->before,
                           is_after ? pair->after : pair->before) &&
           conf_json_add_text(to, "change", conf_change_name(one->change)) &&
           add_side(to, "before", conf_compared_before(c, one)) &&
           add_side(to, "after", conf_compared_after(c, one));
}

assay_status conf_comparison_print_json(FILE *out, const conf_comparison *c, assay_error *err)
{
    json_object *document = json_object_new_object(), *changes = NULL;
    bool ok = document && conf_json_add_text(document, "schema", "assay-comparison/1") &&
              add_run(document, "before", &c->before) && add_run(document, "after", &c->after) &&
              conf_info_add_texts(document, "remarks", (const char *const *)c->remarks.at, c->remarks.n) &&
              add_engines(document, c) && add_totals(document, c) &&
              (changes = conf_json_add_array(document, "changes"));
    for (size_t i = 0; ok && i < c->n; i++)
        if (c->at[i].change != CONF_CHANGE_NONE) ok = add_change(changes, c, &c->at[i]);
    return conf_json_print_document(document, ok, out, err);
}
