/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/invoke.h"

#include "base/json_escape.h"
#include "dialogue/tools/output.h"
#include "dialogue/values/arguments.h"

#include <string.h>

/* The opening tag of an element, without its first word. */
typedef struct header {
    assay_text name;
    bool is_string;
    size_t end; /* the offset after '>' */
} header;

/* Moves *at past white space and `what`. spaced: at least one character of white space is required. */
static bool skip_word(assay_text text, size_t *at, bool spaced, const char *what)
{
    const size_t begin = serve_span_skip(text, *at);
    if ((spaced && begin == *at) || !serve_span_starts(serve_span_from(text, begin), what)) return false;
    *at = begin + strlen(what);
    return true;
}

/* Reads name="…" at text[at..), then string="true" or "false" if typed and a parameter, then '>'. If not
 * typed, no other white space is allowed, and the name must not be empty. */
static bool read_header(assay_text text, size_t at, bool typed, bool is_parameter, header *out)
{
    if (!skip_word(text, &at, !typed, "name=\"")) return false;
    const size_t quote = serve_span_find(text, at, "\"");
    if (quote == SERVE_NOWHERE || (!typed && quote == at)) return false;
    out->name = serve_span_part(text, at, quote);
    at = quote + 1;
    out->is_string = false;
    if (typed && is_parameter) {
        out->is_string = skip_word(text, &at, true, "string=\"true\"");
        if (!out->is_string && !skip_word(text, &at, true, "string=\"false\"")) return false;
    }
    if (typed) at = serve_span_skip(text, at);
    out->end = at + 1;
    return at < text.n && text.at[at] == '>';
}

static void add_value(const header *parameter, assay_text value, bool typed, serve_arguments *out)
{
    serve_arguments_name(out, parameter->name);
    if (!typed) value = serve_span_trim(value);
    if (parameter->is_string) json_append_quoted(&out->text, value);
    else serve_json_or_string(&out->text, value);
}

static void read_parameters(assay_text body, const serve_invoke_style *style, serve_arguments *out)
{
    header one;
    for (size_t at = 0; (at = serve_span_find(body, at, style->parameter)) != SERVE_NOWHERE;) {
        at += strlen(style->parameter);
        if (!read_header(body, at, style->typed, true, &one)) continue;
        const size_t end = serve_span_find(body, one.end, style->parameter_end);
        if (end == SERVE_NOWHERE) return;
        add_value(&one, serve_span_part(body, one.end, end), style->typed, out);
        at = end + strlen(style->parameter_end);
    }
}

static void call_invoke(serve_tools *t, assay_text name, assay_text body, const serve_invoke_style *style)
{
    serve_arguments arguments = {0};
    read_parameters(body, style, &arguments);
    const bool is_call = name.n > 0 && (style->empty || arguments.n > 0);
    const assay_text object = serve_arguments_object(&arguments);
    t->failed |= arguments.text.failed || arguments.json.failed;
    if (is_call && !t->failed) serve_tools_call(t, name, object);
    serve_arguments_free(&arguments);
}

void serve_invoke_calls(serve_tools *t, assay_text text, const serve_invoke_style *style)
{
    header one;
    for (size_t at = 0; (at = serve_span_find(text, at, style->invoke)) != SERVE_NOWHERE;) {
        at += strlen(style->invoke);
        if (!read_header(text, at, style->typed, false, &one)) continue;
        size_t end = serve_span_find(text, one.end, style->invoke_end);
        if (end == SERVE_NOWHERE && !style->unclosed) return;
        const bool is_last = end == SERVE_NOWHERE;
        if (is_last) end = text.n;
        call_invoke(t, style->typed ? one.name : serve_span_trim(one.name),
                    serve_span_part(text, one.end, end), style);
        if (is_last) return;
        at = end + strlen(style->invoke_end);
    }
}

bool serve_invoke_find_end(serve_tools *t, assay_text text, const char *end, size_t *n)
{
    if (t->scan.seen == 0) t->scan.seen = strlen(t->format->openers[t->opener]);
    const bool found = serve_span_find_next(text, &t->scan.seen, end) != SERVE_NOWHERE;
    *n = found ? t->scan.seen : text.n;
    if (!found) serve_tools_wait_for(t, text, "<");
    return found;
}
