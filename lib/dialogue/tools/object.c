/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/object.h"

#include "dialogue/tools/output.h"

/* The text of a JSON value; of a string its unquoted text, in `scratch`. */
static assay_text unquote_value(buffer *scratch, assay_text value)
{
    if (!serve_json_is_string(value)) return value;
    scratch->n = 0;
    serve_json_unquote(scratch, value);
    return buffer_text(scratch);
}

/* The name in a JSON string; empty if value is not a string. */
static assay_text read_name(serve_tools *t, assay_text value, bool trimmed)
{
    if (!value.at || !serve_json_is_string(value)) return (assay_text){0};
    const assay_text name = unquote_value(&t->name, value);
    return trimmed ? serve_span_trim(name) : name;
}

void serve_tools_member_names(const serve_tools_members *members, const char **names)
{
    names[SERVE_NAME] = "name";
    names[SERVE_OTHER_NAME] = members->other_name ? members->other_name : "name";
    names[SERVE_ARGUMENTS] = members->arguments[0];
    names[SERVE_OTHER_ARGUMENTS] = members->arguments[members->arguments[1] ? 1 : 0];
}

bool serve_tools_call_members(serve_tools *t, const assay_text *found, const serve_tools_members *members)
{
    assay_text name = read_name(t, found[SERVE_NAME], members->trimmed);
    if (name.n == 0) name = read_name(t, found[SERVE_OTHER_NAME], members->trimmed);
    assay_text arguments = found[SERVE_ARGUMENTS].at ? found[SERVE_ARGUMENTS] : found[SERVE_OTHER_ARGUMENTS];
    if (name.n == 0 || (!arguments.at && members->required)) return false;
    if (!arguments.at) arguments = (assay_text){.at = "{}", .n = 2};
    if (!members->verbatim) arguments = unquote_value(&t->arguments, arguments);
    serve_tools_call(t, name, arguments);
    return true;
}

bool serve_tools_call_object(serve_tools *t, assay_text object, const serve_tools_members *members)
{
    const char *names[SERVE_N_MEMBERS];
    assay_text found[SERVE_N_MEMBERS] = {{0}};
    serve_tools_member_names(members, names);
    const assay_status rc = serve_json_members(object, names, found, SERVE_N_MEMBERS);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    return rc == ASSAY_OK && serve_tools_call_members(t, found, members);
}
