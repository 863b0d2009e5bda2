/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/document.h"

#include "conformance/support/json_add.h"
#include "conformance/weights/print.h"

static bool add_format(json_object *to, const conf_weight_format *f)
{
    return conf_json_add_text(to, "name", f->name) && conf_json_add_count(to, "n", f->n) &&
           conf_json_add_count(to, "n_wrong", f->n_wrong) && conf_json_add_real(to, "rmse", f->rmse) &&
           conf_json_add_real(to, "best", f->best) && conf_json_add_real(to, "multiple", f->multiple);
}

static bool add_error(json_object *to, const conf_weight_error *e)
{
    return conf_json_add_real(to, "rmse", e->rmse) && conf_json_add_real(to, "largest", e->largest) &&
           conf_json_add_real(to, "best", e->best) && conf_json_add_real(to, "multiple", e->multiple) &&
           conf_json_add_real(to, "group_multiple", e->group_multiple) &&
           conf_json_add_count(to, "row", e->row) && conf_json_add_count(to, "column", e->column);
}

static bool add_pair(json_object *to, const conf_weight_pair *p)
{
    const plan_weight *w = p->stored.is;
    bool ok =
        conf_json_add_text(to, "place", p->original.place) &&
        conf_json_add_text(to, "name", conf_weight_name(p)) &&
        (w->data ? conf_json_add_text(to, "format", w->stored.format) : conf_json_add_null(to, "format")) &&
        conf_json_add_string(to, "state", conf_weight_state_name(p->state));
    if (p->state == CONF_WEIGHT_SOUND || p->state == CONF_WEIGHT_WRONG) ok = ok && add_error(to, &p->error);
    ok = ok && (*p->scaled_with ? conf_json_add_text(to, "scaled_with", p->scaled_with)
                                : conf_json_add_null(to, "scaled_with"));
    return ok && (*p->fault ? conf_json_add_text(to, "fault", p->fault) : conf_json_add_null(to, "fault"));
}

static bool add_cost(json_object *to, const conf_weights_cost *cost)
{
    return conf_json_add_text(to, "case", cost->path) &&
           conf_json_add_count(to, "positions", cost->n_positions) &&
           conf_json_add_real(to, "kl", cost->kl) && conf_json_add_real(to, "kl_largest", cost->largest_kl) &&
           conf_json_add_count(to, "sample", cost->sample) && conf_json_add_count(to, "token", cost->token) &&
           conf_json_add_count(to, "best_changed", cost->n_changed);
}

assay_status conf_weights_print_json(FILE *out, const char *original, const char *stored,
                                     const conf_weight_comparison *c, const conf_weights_cost *cost,
                                     assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = document && conf_json_add_string(document, "schema", "assay-weights/1") &&
              conf_json_add_text(document, "original", original) &&
              conf_json_add_text(document, "stored", stored) && conf_json_add_count(document, "n", c->n) &&
              conf_json_add_count(document, "n_wrong", c->n_wrong);
    json_object *formats = ok ? conf_json_add_array(document, "formats") : NULL;
    for (size_t i = 0; ok && i < c->n_formats; i++)
        ok = add_format(conf_json_append_object(formats), &c->formats[i]);
    json_object *weights = ok ? conf_json_add_array(document, "weights") : NULL;
    for (size_t i = 0; ok && i < c->n; i++) ok = add_pair(conf_json_append_object(weights), &c->pairs[i]);
    if (cost) ok = ok && add_cost(conf_json_add_object(document, "cost"), cost);
    else ok = ok && conf_json_add_null(document, "cost");
    return conf_json_print_document(document, ok, out, err);
}
