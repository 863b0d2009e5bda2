/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "conformance/problems/formats.h"
#include "conformance/support/json_add.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* Adds a new object or array, owned by `to`; NULL if out of memory. */
static json_object *add_new(json_object *to, const char *name, json_object *value)
{
    return conf_json_add(to, name, value) ? value : NULL;
}

static json_object *append_new(json_object *array, json_object *value)
{
    return conf_json_append(array, value) ? value : NULL;
}

static bool is_first_of_its_rule(const conf_problems *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(list->at[k].rule, list->at[i].rule) == 0) return false;
    return true;
}

static bool add_tool(json_object *run, const conf_problems *list)
{
    json_object *tool = add_new(run, "tool", json_object_new_object());
    json_object *driver = add_new(tool, "driver", json_object_new_object());
    bool ok = conf_json_add_string(driver, "name", "assay") &&
              conf_json_add_string(driver, "version", PACKAGE_VERSION);
    json_object *rules = add_new(driver, "rules", json_object_new_array());
    for (size_t i = 0; ok && i < list->n; i++)
        if (is_first_of_its_rule(list, i))
            ok = conf_json_add_text(append_new(rules, json_object_new_object()), "id", list->at[i].rule);
    return ok && rules;
}

/* A path as a URI reference; the caller frees it. NULL if out of memory. */
static char *make_uri(const char *path)
{
    char *uri = malloc(3 * strlen(path) + sizeof "file://"), *end = uri;
    if (!uri) return NULL;
    if (*path == '/') end = stpcpy(end, "file://");
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           strchr("/-._~", c) != NULL;
        end += sprintf(end, plain ? "%c" : "%%%02X", c);
    }
    *end = '\0';
    return uri;
}

static bool add_location(json_object *result, const char *path)
{
    char *uri = make_uri(path);
    json_object *locations = add_new(result, "locations", json_object_new_array());
    json_object *location = append_new(locations, json_object_new_object());
    json_object *physical = add_new(location, "physicalLocation", json_object_new_object());
    json_object *artifact = add_new(physical, "artifactLocation", json_object_new_object());
    json_object *region = add_new(physical, "region", json_object_new_object());
    const bool ok =
        uri && conf_json_add_string(artifact, "uri", uri) && conf_json_add_count(region, "startLine", 1);
    free(uri);
    return ok;
}

static bool add_message(json_object *result, const conf_problem *one)
{
    char *text = NULL;
    const int n = asprintf(&text, "%s\n%s%s%s", one->title, one->text, one->repro ? "\nREPRO: " : "",
                           one->repro ? one->repro : "");
    if (n < 0) return false;
    const bool ok = conf_json_add_string(add_new(result, "message", json_object_new_object()), "text", text);
    free(text);
    return ok;
}

static bool add_result(json_object *results, const conf_problem *one)
{
    json_object *result = append_new(results, json_object_new_object());
    return conf_json_add_string(result, "ruleId", one->rule) &&
           conf_json_add_string(result, "level", "error") && add_message(result, one) &&
           (!one->path || add_location(result, one->path));
}

assay_status conf_problems_sarif(FILE *out, const conf_problems *list, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = conf_json_add_string(document, "$schema", SCHEMA) &&
              conf_json_add_string(document, "version", "2.1.0");
    json_object *runs = add_new(document, "runs", json_object_new_array());
    json_object *run = append_new(runs, json_object_new_object());
    ok = ok && add_tool(run, list);
    json_object *results = add_new(run, "results", json_object_new_array());
    for (size_t i = 0; ok && i < list->n; i++) ok = add_result(results, &list->at[i]);
    return conf_json_print_document(document, ok && results, out, err);
}
