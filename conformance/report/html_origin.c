/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/html_origin.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "conformance/judge/compute.h"
#include "conformance/page/page.h"
#include "conformance/report/json.h"
#include "conformance/report/machines.h"

/* The members of `settings` (json.h) as they are read; the others are shown by their names. */
static const struct {
    const char *member, *name;
} NAMES[] = {
    {"version", "Assay"},
    {"timeout", "timeout in seconds"},
    {"timeout_fixed", "timeout given by the user"},
    {"memory", "memory limit in MiB"},
    {"context_shift", "tokens of a context shift"},
    {"allow_unknown", "unknown members that were allowed"},
};

static const char *name_of(const char *member)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i].member, member) == 0) return NAMES[i].name;
    return member;
}

/* A value as a text: a list with commas, a yes, nothing for null, "no" and an empty list. */
static void print_setting(FILE *out, const char *member, json_object *value)
{
    char text[1024] = "";
    if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0, n = 0; i < json_object_array_length(value) && n < sizeof text; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "",
                                  json_object_get_string(json_object_array_get_idx(value, i)));
    } else if (json_object_is_type(value, json_type_boolean)) {
        (void)snprintf(text, sizeof text, "%s", json_object_get_boolean(value) ? "yes" : "");
    } else if (json_object_is_type(value, json_type_double)) {
        (void)snprintf(text, sizeof text, "%.12g", json_object_get_double(value));
    } else if (value) {
        (void)snprintf(text, sizeof text, "%s", json_object_get_string(value));
    }
    conf_page_fact(out, name_of(member), text);
}

static void print_machines(FILE *out, const conf_results *results)
{
    for (size_t i = 0; i < results->n_machines; i++) {
        char line[CONF_MACHINE_LINE_MAX];
        conf_machine_print(&results->machines[i], line);
        conf_page_fact(out, "machine", line);
    }
}

void conf_html_origin_here(FILE *out)
{
    conf_results here = {0};
    conf_machines_stamp(&here);
    conf_page_facts_begin(out, "Origin");
    conf_page_fact(out, name_of("version"), PACKAGE_VERSION);
    print_machines(out, &here);
    conf_page_facts_end(out);
    conf_results_free(&here);
}

bool conf_html_origin(FILE *out, const conf_results *results)
{
    json_object *settings = conf_json_settings(results);
    if (!settings) return false;
    conf_page_facts_begin(out, "Origin");
    conf_page_fact(out, "finished", results->finished);
    json_object_object_foreach(settings, member, value)
    {
        print_setting(out, member, value);
    }
    conf_page_fact(out, "compute type", results->compute ? conf_compute_name(results->compute) : NULL);
    conf_page_fact(out, "kernels", results->kernels);
    conf_page_fact(out, "digest of the kernels", results->kernels ? results->kernels_module : NULL);
    print_machines(out, results);
    conf_page_facts_end(out);
    (void)json_object_put(settings);
    return true;
}
