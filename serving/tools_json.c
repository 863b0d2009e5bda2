/* Calls that are written as JSON objects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools_parts.h"

/* The text of a JSON value, of a string what it says. */
static assay_text say(serve_bytes *room, assay_text value)
{
    if (!serve_json_is_string(value)) return value;
    room->n = 0;
    serve_json_unquote(room, value);
    return serve_bytes_text(room);
}

bool serve_tools_call_object(serve_tools *t, assay_text object, const serve_tools_members *members)
{
    const char *const names[] = {"name", members->arguments[0], members->arguments[1]};
    const size_t n_names = members->arguments[1] ? 3 : 2;
    assay_text found[3] = {{0}};
    const assay_status rc = serve_json_members(object, names, found, n_names);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    if (rc != ASSAY_OK || !found[0].at || !serve_json_is_string(found[0])) return false;

    assay_text name = say(&t->name, found[0]);
    if (members->trimmed) name = serve_span_trim(name);
    assay_text arguments = found[1].at ? found[1] : found[2];
    if (name.n == 0 || (!arguments.at && members->required)) return false;
    if (!arguments.at) arguments = (assay_text){.at = "{}", .n = 2};
    if (!members->verbatim) arguments = say(&t->arguments, arguments);
    serve_tools_call(t, name, arguments);
    return true;
}
