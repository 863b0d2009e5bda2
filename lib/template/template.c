/* SPDX-License-Identifier: Apache-2.0 */
#include "template/template.h"

#include "base/error.h"
#include "base/json.h"
#include "template/parse.h"
#include "template/run.h"
#include "template/values/json.h"
#include "template/walk.h"

static assay_status check_options(const assay_template_options *options, assay_error *err)
{
    if (options->reserved != 0)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "template: a reserved option is set");
    if (!options->source.at || !options->variables.at)
        return assay_fail(err, ASSAY_EINVAL, "template: the source or the variables are missing");
    return ASSAY_OK;
}

assay_status template_render(const assay_template_options *given, const assay_byte_sink *sink,
                             assay_error *err)
{
    static const json_limits limits = {.bytes = (size_t)16 << 20, .values = (size_t)1 << 18};
    assay_template_options options;
    json_object *variables = NULL;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_template_options", err);
    if (rc == ASSAY_OK) rc = check_options(&options, err);
    if (rc == ASSAY_OK)
        rc = json_parse_within("variables", options.variables.at, options.variables.n, &limits, &variables,
                               err);
    if (rc != ASSAY_OK) return rc;
    if (!json_object_is_type(variables, json_type_object)) {
        json_object_put(variables);
        return assay_fail(err, ASSAY_EFORMAT, "variables: expected an object");
    }
    tpl t = {.err = err, .line = 1, .now = options.now};
    const tpl_value values = tpl_from_json(&t, variables);
    json_object_put(variables);
    const tpl_node *root = tpl_parse(&t, options.source);
    if (root) tpl_check_names(&t, root);
    if (root && t.status == ASSAY_OK) {
        const assay_text text = tpl_run(&t, root, values);
        if (t.status == ASSAY_OK && text.n > 0) sink->take(sink->context, text.at, text.n);
    }
    rc = t.status;
    tpl_free(&t);
    return rc;
}
