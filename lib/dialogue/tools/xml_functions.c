/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/xml_functions.h"

#include "dialogue/tools/output.h"
#include "dialogue/values/arguments.h"
#include "dialogue/values/value.h"

#include <string.h>

/* Marks: the name of the open function, and how far the name of a tag has been scanned. */
enum { FUNCTION_BEGIN, FUNCTION_STOP, LOOKED = SERVE_XML_LOOKED };

/* Whether a tag is part of a parameter's value. */
static bool is_of_value(const serve_tools_scan *walk, const serve_xml_tag *tag)
{
    if (tag->kind == SERVE_XML_NO_TAG) return true;
    if (walk->phase == SERVE_XML_ONLY_ENDS)
        return tag->kind != SERVE_XML_FUNCTION_END && tag->kind != SERVE_XML_TOOL_CALL_END;
    if (tag->kind == SERVE_XML_PARAMETER_END) return false;
    return walk->phase == SERVE_XML_LIST || (walk->phase == SERVE_XML_FIRST && tag->begin == walk->seen);
}

static void pass_tag(serve_tools *t, assay_text text, serve_tools_scan *walk, serve_xml_tag *tag)
{
    walk->seen = tag->end;
    if (walk->phase == SERVE_XML_ONLY_ENDS) return;
    walk->phase = SERVE_XML_BETWEEN;
    if (tag->kind == SERVE_XML_FUNCTION) {
        walk->mark[FUNCTION_BEGIN] = (size_t)(tag->name.at - text.at);
        walk->mark[FUNCTION_STOP] = walk->mark[FUNCTION_BEGIN] + tag->name.n;
    }
    if (tag->kind != SERVE_XML_PARAMETER) return;
    const assay_text function = serve_span_part(text, walk->mark[FUNCTION_BEGIN], walk->mark[FUNCTION_STOP]);
    tag->type = serve_tools_request_type(t->request, function, tag->name);
    walk->phase = serve_tools_value_is_list(tag->type) ? SERVE_XML_LIST : SERVE_XML_FIRST;
}

serve_xml_tag serve_xml_next_tag(serve_tools *t, assay_text text, serve_tools_scan *walk)
{
    for (;;) {
        serve_xml_tag tag = {.kind = SERVE_XML_NO_TAG};
        const size_t at = serve_span_find(text, walk->seen, "<");
        if (walk->phase == SERVE_XML_FIRST && walk->seen < text.n && at != walk->seen)
            walk->phase = SERVE_XML_VALUE;
        if (at == SERVE_NOWHERE) {
            walk->seen = text.n;
            return tag;
        }
        if (!serve_xml_read(text, at, &walk->mark[LOOKED], &tag)) {
            if (walk->phase != SERVE_XML_FIRST) walk->seen = at;
            return (serve_xml_tag){.kind = SERVE_XML_NO_TAG};
        }
        if (walk->phase == SERVE_XML_BETWEEN && tag.kind == SERVE_XML_NO_TAG &&
            serve_xml_is_begun(serve_span_from(text, at)))
            walk->phase = SERVE_XML_ONLY_ENDS;
        if (!is_of_value(walk, &tag)) {
            pass_tag(t, text, walk, &tag);
            return tag;
        }
        if (walk->phase == SERVE_XML_FIRST) walk->phase = SERVE_XML_VALUE;
        walk->seen = tag.end;
    }
}

assay_text serve_xml_join_lines(buffer *scratch, assay_text text)
{
    if (text.n == 0 || !memchr(text.at, '\r', text.n)) return text;
    scratch->n = 0;
    for (size_t at = 0, end; at < text.n; at = end) {
        const char *found = memchr(text.at + at, '\r', text.n - at);
        end = found ? (size_t)(found - text.at) : text.n;
        buffer_append(scratch, text.at + at, end - at);
        if (!found) break;
        buffer_append(scratch, "\n", 1);
        end += end + 1 < text.n && text.at[end + 1] == '\n' ? 2 : 1;
    }
    return buffer_text(scratch);
}

/* Normalises a name as XML does an attribute: each white-space character becomes a blank. */
static assay_text normalise_name(buffer *scratch, assay_text name)
{
    scratch->n = 0;
    buffer_append(scratch, name.at, name.n);
    for (size_t i = 0; i < scratch->n; i++)
        if (strchr("\t\n\r", scratch->data[i]) && scratch->data[i] != '\0') scratch->data[i] = ' ';
    return buffer_text(scratch);
}

/* Whether a value begins with two or three line ends, of which the last is a lone carriage return, followed
 * by a tag or by nothing. The XML parser reports that return separately, and while the value is otherwise
 * empty the published parser then removes a second newline. */
static bool has_late_newline(assay_text value)
{
    size_t at = 0, n = 0;
    bool lone = false;
    for (; at < value.n && (value.at[at] == '\r' || value.at[at] == '\n'); n++) {
        const char *end = value.at + at;
        const bool pair = *end == '\r' && at + 1 < value.n && end[1] == '\n';
        lone = *end == '\r' && !pair;
        at += pair ? 2 : 1;
    }
    return lone && (n == 2 || n == 3) && (at == value.n || value.at[at] == '<');
}

/* Whether the published parser defers a value until it is complete and then reads the model's original text:
 * a list, and an object that begins with a Python container in angle brackets. */
static bool is_deferred(assay_text value, const char *type)
{
    if (serve_tools_value_is_list(type)) return true;
    if (strcmp(type, "object") != 0 || !serve_span_starts(value, "<")) return false;
    bool opens = false, quotes = false;
    for (size_t i = 1; i < value.n && value.at[i] != '<' && value.at[i] != '>'; i++) {
        opens |= value.at[i] == '[' || value.at[i] == '{' || value.at[i] == '(';
        quotes |= value.at[i] == '\'';
    }
    return opens && quotes;
}

/* Removes one newline at either end of a value, which belongs to its tags. */
static assay_text strip_newlines(assay_text value)
{
    if (value.n > 0 && value.at[0] == '\n') value = serve_span_from(value, 1);
    if (value.n > 0 && value.at[value.n - 1] == '\n') value.n--;
    return value;
}

/* A value that is not deferred, as the XML parser reports it. */
static assay_text read_value(serve_tools *t, assay_text value)
{
    const bool late = has_late_newline(value);
    value = serve_xml_join_lines(&t->name, value);
    return strip_newlines(late && value.n > 0 ? serve_span_from(value, 1) : value);
}

static void add_argument(serve_tools *t, const serve_xml_tag *parameter, assay_text value,
                         serve_arguments *out)
{
    serve_arguments_name(out, normalise_name(&t->arguments, parameter->name));
    if (value.n == 0) {
        buffer_append_string(&out->text, "\"\"");
        return;
    }
    if (!is_deferred(value, parameter->type)) value = read_value(t, value);
    if (serve_tools_value(&out->text, value, parameter->type) == ASSAY_ENOMEM) t->failed = true;
}

/* Adds a value that the end of the text cuts off. */
static void add_begun(serve_tools *t, const serve_xml_tag *parameter, assay_text value, serve_arguments *out)
{
    serve_arguments_name(out, normalise_name(&t->arguments, parameter->name));
    if (value.n == 0 || is_deferred(value, parameter->type)) return;
    serve_tools_value_begun(&out->text, read_value(t, value), parameter->type);
}

static void end_call(serve_tools *t, assay_text function, bool cut_off, serve_arguments *arguments)
{
    const assay_text object = cut_off ? serve_arguments_begun(arguments) : serve_arguments_object(arguments),
                     name = normalise_name(&t->name, function);
    t->failed |= arguments->text.failed || arguments->json.failed || t->name.failed;
    if (!t->failed && name.n > 0) serve_tools_call(t, name, object);
}

/* Whether a tag within the value also ends the call if the text ends before another tag. */
static bool ends_call(assay_text value)
{
    return serve_span_find(value, 0, SERVE_XML_TAGS[SERVE_XML_FUNCTION_END]) != SERVE_NOWHERE ||
           serve_span_find(value, 0, SERVE_XML_TAGS[SERVE_XML_TOOL_CALL_END]) != SERVE_NOWHERE;
}

/* An end tag without its start tag; the XML parser stops there. */
static bool is_wrong_end(serve_xml_kind kind)
{
    return kind == SERVE_XML_FUNCTION_END || kind == SERVE_XML_PARAMETER_END;
}

void serve_xml_read_functions(serve_tools *t, assay_text block, bool is_cut)
{
    serve_tools_scan walk = {0};
    serve_arguments arguments = {0};
    serve_xml_tag tag = {.kind = SERVE_XML_NO_TAG}, parameter = {.kind = SERVE_XML_NO_TAG};
    assay_text function = {0};
    bool begun = false, ended = false;
    do {
        const bool is_second = tag.kind == SERVE_XML_TOOL_CALL;
        tag = serve_xml_next_tag(t, block, &walk);
        if (is_second && is_wrong_end(tag.kind)) break;
        const size_t end = tag.kind == SERVE_XML_NO_TAG ? block.n : tag.begin;
        const assay_text value =
            serve_span_part(block, parameter.kind == SERVE_XML_PARAMETER ? parameter.end : end, end);
        ended |= ends_call(value);
        const bool cut_off = tag.kind == SERVE_XML_NO_TAG && is_cut && !ended;
        if (parameter.kind == SERVE_XML_PARAMETER)
            (cut_off ? add_begun : add_argument)(t, &parameter, value, &arguments);
        parameter.kind = SERVE_XML_NO_TAG;
        if (tag.kind == SERVE_XML_PARAMETER && (function.n > 0 || !begun)) parameter = tag;
        if (tag.kind == SERVE_XML_NO_TAG || tag.kind == SERVE_XML_FUNCTION ||
            tag.kind == SERVE_XML_FUNCTION_END) {
            if (function.n > 0) end_call(t, function, cut_off, &arguments);
            function = (assay_text){0};
        }
        if (tag.kind == SERVE_XML_FUNCTION) {
            function = tag.name;
            begun = true;
            ended = false;
        }
    } while (tag.kind != SERVE_XML_NO_TAG);
    serve_arguments_free(&arguments);
}
