/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "conformance/problems/formats.h"
#include "conformance/support/json_add.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static bool is_first_of_its_rule(const conf_problems *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(list->at[k].rule, list->at[i].rule) == 0) return false;
    return true;
}

static bool add_tool(json_object *run, const conf_problems *list)
{
    json_object *tool = conf_json_add_object(run, "tool");
    json_object *driver = conf_json_add_object(tool, "driver");
    bool ok = conf_json_add_string(driver, "name", "assay") &&
              conf_json_add_string(driver, "version", PACKAGE_VERSION);
    json_object *rules = conf_json_add_array(driver, "rules");
    for (size_t i = 0; ok && i < list->n; i++)
        if (is_first_of_its_rule(list, i))
            ok = conf_json_add_text(conf_json_append_object(rules), "id", list->at[i].rule);
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
    json_object *locations = conf_json_add_array(result, "locations");
    json_object *location = conf_json_append_object(locations);
    json_object *physical = conf_json_add_object(location, "physicalLocation");
    json_object *artifact = conf_json_add_object(physical, "artifactLocation");
    json_object *region = conf_json_add_object(physical, "region");
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
    const bool ok = conf_json_add_string(conf_json_add_object(result, "message"), "text", text);
    free(text);
    return ok;
}

static bool add_result(json_object *results, const conf_problem *one)
{
    json_object *result = conf_json_append_object(results);
    return conf_json_add_string(result, "ruleId", one->rule) &&
           conf_json_add_string(result, "level", "error") && add_message(result, one) &&
           (!one->path || add_location(result, one->path));
}

assay_status conf_problems_sarif(FILE *out, const conf_problems *list, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = conf_json_add_string(document, "$schema", SCHEMA) &&
              conf_json_add_string(document, "version", "2.1.0");
    json_object *runs = conf_json_add_array(document, "runs");
    json_object *run = conf_json_append_object(runs);
    ok = ok && add_tool(run, list);
    json_object *results = conf_json_add_array(run, "results");
    for (size_t i = 0; ok && i < list->n; i++) ok = add_result(results, &list->at[i]);
    return conf_json_print_document(document, ok && results, out, err);
}
