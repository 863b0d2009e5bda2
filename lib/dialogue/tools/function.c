/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/function.h"

#include "base/json_escape.h"
#include "dialogue/tools/output.h"
#include "dialogue/values/python_literal.h"

#include <string.h>

#define FUNCTION      "<function="
#define FUNCTION_END  "</function>"
#define TAG_END       "</tool_call>"
#define PARAMETER     "<parameter="
#define PARAMETER_END "</parameter>"

size_t serve_function_name_end(assay_text text)
{
    const size_t name = strlen(FUNCTION), end = serve_span_find(text, name, ">");
    return end > name ? end : SERVE_NOWHERE;
}

bool serve_function_find_tagged_end(serve_tools_scan *scan, assay_text text, size_t *n)
{
    size_t *closed = &scan->mark[2];
    for (;;) {
        if (!*closed && serve_span_find_next(text, &scan->seen, FUNCTION_END) == SERVE_NOWHERE) return false;
        *closed = 1;
        scan->seen = serve_span_skip(text, scan->seen);
        const assay_text rest = serve_span_from(text, scan->seen);
        if (serve_span_begins(rest, TAG_END)) return false;
        *closed = 0;
        if (!serve_span_starts(rest, TAG_END)) continue;
        *n = scan->seen + strlen(TAG_END);
        return true;
    }
}

/* Adds the JSON of a value to out: JSON is copied, a Python literal is converted, and any other text becomes
 * a string. */
static void add_json_or_python(buffer *out, assay_text value)
{
    const assay_status rc = serve_json_check(value);
    if (rc == ASSAY_ENOMEM) out->failed = true;
    if (rc == ASSAY_OK) buffer_append(out, value.at, value.n);
    else if (!serve_python_literal(out, value)) json_append_quoted(out, value);
}

static void add_value(buffer *out, assay_text value, serve_function_style style)
{
    if (style == SERVE_FUNCTION_STRINGS) json_append_quoted(out, value);
    else if (style == SERVE_FUNCTION_PLAIN) serve_json_or_string(out, value);
    else add_json_or_python(out, value);
}

static assay_text strip_value(assay_text value, serve_function_style style)
{
    if (style != SERVE_FUNCTION_FRAMED) return serve_span_trim(value);
    if (value.n >= 2 && value.at[0] == '\n' && value.at[value.n - 1] == '\n')
        return serve_span_part(value, 1, value.n - 1);
    return value;
}

void serve_function_parameters(assay_text body, serve_function_style style, serve_arguments *out)
{
    const size_t n_open = strlen(PARAMETER);
    for (size_t at = 0; (at = serve_span_find(body, at, PARAMETER)) != SERVE_NOWHERE;) {
        const size_t key = at + n_open, key_end = serve_span_find(body, key, ">");
        if (key_end == SERVE_NOWHERE) return;
        if (key_end == key) { /* a parameter without a key is not a parameter */
            at = key;
            continue;
        }
        const size_t end = serve_span_find(body, key_end + 1, PARAMETER_END);
        if (end == SERVE_NOWHERE) return;
        serve_arguments_name(out, serve_span_trim(serve_span_part(body, key, key_end)));
        add_value(&out->text, strip_value(serve_span_part(body, key_end + 1, end), style), style);
        at = end + strlen(PARAMETER_END);
    }
}

/* Whether the body is one JSON object, which is the arguments then. */
static bool is_object(serve_tools *t, assay_text body)
{
    if (!serve_span_starts(body, "{")) return false;
    const assay_status rc = serve_json_check(body);
    if (rc == ASSAY_ENOMEM) t->failed = true;
    return rc == ASSAY_OK;
}

bool serve_function_call(serve_tools *t, assay_text block, size_t close, serve_function_style style)
{
    const size_t name_end = serve_function_name_end(block);
    const assay_text name = serve_span_trim(serve_span_part(block, strlen(FUNCTION), name_end));
    if (name.n == 0) return false;
    const assay_text body = serve_span_part(block, name_end + 1, close), trimmed = serve_span_trim(body);
    if (style != SERVE_FUNCTION_TRIMMED && is_object(t, trimmed)) {
        serve_tools_call(t, name, trimmed);
        return true;
    }
    serve_arguments arguments = {0};
    serve_function_parameters(body, style, &arguments);
    const bool plain = style == SERVE_FUNCTION_PLAIN && arguments.n == 0;
    const assay_text object = plain ? trimmed : serve_arguments_object(&arguments);
    t->failed |= arguments.text.failed || arguments.json.failed;
    if (!t->failed && object.n > 0) serve_tools_call(t, name, object);
    serve_arguments_free(&arguments);
    return object.n > 0;
}
