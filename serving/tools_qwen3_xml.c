/* qwen3_xml: <tool_call><function=NAME><parameter=KEY>VALUE</parameter>…</function></tool_call>, the outer
 * tags optional. A value's type is what the request says.
 *
 * Without the outer tags a function is one only if a parameter, its end or an outer tag follows at once; it
 * is dropped where the text ends before that. What stands between the parts of a call is dropped. A call that
 * the text ends in is one, but its arguments are left open, and what may become a tag is no part of them. A
 * tag that stands at the very beginning of a value, or anywhere in a list, is part of the value.
 *
 * Outside of calls, and behind anything, a tag without an end that another one breaks off ends what is read:
 * no marker reaches the content. What only begins like one, as in "a << b", is content.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools_value.h"

#include "serving/arguments.h"
#include "serving/xml_tag.h"

#include <string.h>

enum { BARE = 1, STRAY }; /* openers: a function, a parameter */
enum { CUT_OFF = 1 };     /* t->state: the text ends within the block */

/* Where a walk stands: between tags, at the first byte of a value, behind that, or in a list. BROKEN_OFF:
 * behind a bare function nothing is read but an end. */
enum { BETWEEN, FIRST, VALUE, LIST, BROKEN_OFF };

/* Marks: the name of the function that is open, and how far the name of a tag was looked at. */
enum { FUNCTION_BEGIN, FUNCTION_STOP, LOOKED };

/* What a tag at `where` is to the walk: a value's own, or a tag. */
static bool is_of_value(const serve_tools_scan *walk, const serve_xml_tag *tag)
{
    if (tag->kind == SERVE_XML_NO_TAG) return true;
    if (tag->kind == SERVE_XML_PARAMETER_END) return false;
    return walk->phase == LIST || (walk->phase == FIRST && tag->begin == walk->seen);
}

static void pass_tag(serve_tools *t, assay_text text, serve_tools_scan *walk, serve_xml_tag *tag)
{
    walk->seen = tag->end;
    walk->phase = BETWEEN;
    if (tag->kind == SERVE_XML_FUNCTION) {
        walk->mark[FUNCTION_BEGIN] = (size_t)(tag->name.at - text.at);
        walk->mark[FUNCTION_STOP] = walk->mark[FUNCTION_BEGIN] + tag->name.n;
    }
    if (tag->kind != SERVE_XML_PARAMETER) return;
    const assay_text function = serve_span_part(text, walk->mark[FUNCTION_BEGIN], walk->mark[FUNCTION_STOP]);
    tag->type = serve_tools_request_type(t->request, function, tag->name);
    walk->phase = serve_tools_value_is_list(tag->type) ? LIST : FIRST;
}

/* The next tag from walk->seen on; SERVE_XML_NO_TAG: none yet. */
static serve_xml_tag next_tag(serve_tools *t, assay_text text, serve_tools_scan *walk)
{
    for (;;) {
        serve_xml_tag tag = {.kind = SERVE_XML_NO_TAG};
        const size_t at = serve_span_find(text, walk->seen, "<");
        if (walk->phase == FIRST && walk->seen < text.n && at != walk->seen) walk->phase = VALUE;
        if (at == SERVE_NOWHERE) {
            walk->seen = text.n;
            return tag;
        }
        if (!serve_xml_read(text, at, &walk->mark[LOOKED], &tag)) {
            if (walk->phase != FIRST) walk->seen = at;
            return (serve_xml_tag){.kind = SERVE_XML_NO_TAG};
        }
        if (!is_of_value(walk, &tag)) {
            pass_tag(t, text, walk, &tag);
            return tag;
        }
        if (walk->phase == FIRST) walk->phase = VALUE;
        walk->seen = tag.end;
    }
}

/* A text as XML hands it on: each end of a line is one newline. */
static assay_text join_lines(serve_bytes *room, assay_text text)
{
    if (text.n == 0 || !memchr(text.at, '\r', text.n)) return text;
    room->n = 0;
    for (size_t at = 0, end; at < text.n; at = end) {
        const char *found = memchr(text.at + at, '\r', text.n - at);
        end = found ? (size_t)(found - text.at) : text.n;
        serve_bytes_add(room, text.at + at, end - at);
        if (!found) break;
        serve_bytes_add(room, "\n", 1);
        end += end + 1 < text.n && text.at[end + 1] == '\n' ? 2 : 1;
    }
    return serve_bytes_text(room);
}

/* Whether the tag at text[at], a '<', confirms a function before it. *seen: to where its end was looked for.
 * SERVE_FOUND_MORE where that is not there yet, SERVE_FOUND_END where another tag stands there. */
static serve_tools_found look_behind(assay_text text, size_t at, size_t *seen)
{
    size_t looked = 0;
    serve_xml_tag tag;
    if (*seen <= at) *seen = at + 1;
    while (*seen < text.n && text.at[*seen] != '<' && text.at[*seen] != '>') ++*seen;
    if (*seen >= text.n) return SERVE_FOUND_MORE;
    if (text.at[*seen] == '<') return serve_xml_broken_off(serve_span_from(text, at), *seen - at);
    if (!serve_xml_read(text, at, &looked, &tag)) return SERVE_FOUND_MORE;
    const bool confirms = tag.kind == SERVE_XML_PARAMETER || tag.kind == SERVE_XML_FUNCTION_END ||
                          tag.kind == SERVE_XML_TOOL_CALL;
    return confirms ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
}

/* Of a tag that is none, since its name is empty, or has no end. */
static serve_tools_found break_off(const serve_tools *t, assay_text text)
{
    const bool has_end = text.at[t->scan.mark[LOOKED]] == '>';
    return has_end || t->passed == 0 ? SERVE_FOUND_CONTENT : SERVE_FOUND_END;
}

/* A parameter outside of calls is content. */
static serve_tools_found look_parameter(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_xml_tag tag;
    const bool whole = serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag);
    *n = t->scan.mark[LOOKED];
    if (!whole) return ended ? SERVE_FOUND_CONTENT : SERVE_FOUND_MORE;
    return break_off(t, text);
}

/* Looks on from *seen for what ends a function or a call. */
static serve_tools_found look_for_end(assay_text text, size_t *seen)
{
    const char *const function_end = SERVE_XML_TAGS[SERVE_XML_FUNCTION_END],
                      *const call_end = SERVE_XML_TAGS[SERVE_XML_TOOL_CALL_END];
    size_t at;
    while ((at = serve_span_find_next(text, seen, "</")) != SERVE_NOWHERE) {
        const assay_text rest = serve_span_from(text, at);
        if (serve_span_starts(rest, function_end) || serve_span_starts(rest, call_end))
            return SERVE_FOUND_BLOCK;
        if (!serve_span_begins(rest, function_end) && !serve_span_begins(rest, call_end)) continue;
        *seen = at;
        break;
    }
    return SERVE_FOUND_MORE;
}

/* A function that no outer tag stands before: whether it is one, as the next tag tells. Where it is none, XML
 * has read the white space behind it, and handed it on with its own ends of lines. */
static serve_tools_found look_bare(serve_tools *t, assay_text text, size_t *n)
{
    size_t *behind = &t->scan.mark[0], *seen = &t->scan.mark[1];
    serve_xml_tag tag;
    if (!serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag)) return SERVE_FOUND_MORE;
    *n = strlen(SERVE_XML_TAGS[SERVE_XML_FUNCTION]);
    if (tag.kind != SERVE_XML_FUNCTION) return break_off(t, text);
    *n = *behind = serve_span_skip(text, *behind > 0 ? *behind : tag.end);
    if (*n == text.n) return SERVE_FOUND_MORE;
    serve_tools_found found = SERVE_FOUND_CONTENT;
    if (t->scan.phase == BROKEN_OFF) found = SERVE_FOUND_END;
    else if (text.at[*n] == '<') found = look_behind(text, *n, seen);
    if (found == SERVE_FOUND_END) {
        t->scan.phase = BROKEN_OFF;
        return look_for_end(text, seen);
    }
    if (found != SERVE_FOUND_CONTENT) return found;
    serve_tools_content(t, serve_span_part(text, 0, tag.end));
    serve_tools_content(t, join_lines(&t->name, serve_span_part(text, tag.end, *n)));
    return SERVE_FOUND_NOTHING;
}

/* To the end tag, or to the next opening one. */
static serve_tools_found look_on(serve_tools *t, assay_text text, size_t *n)
{
    const serve_xml_kind end = t->opener == BARE ? SERVE_XML_FUNCTION_END : SERVE_XML_TOOL_CALL_END;
    for (;;) {
        const serve_xml_tag tag = next_tag(t, text, &t->scan);
        if (tag.kind == SERVE_XML_NO_TAG) {
            if (t->scan.phase != FIRST) serve_tools_wait_for(t, text, "<");
            return SERVE_FOUND_MORE;
        }
        *n = tag.kind == end ? tag.end : tag.begin;
        if (tag.kind == end || (tag.kind == SERVE_XML_TOOL_CALL && tag.begin > 0)) return SERVE_FOUND_BLOCK;
    }
}

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (t->opener == STRAY) return look_parameter(t, text, ended, n);
    if (t->opener == BARE && t->scan.seen == 0) found = look_bare(t, text, n);
    const bool is_one = found == SERVE_FOUND_BLOCK;
    if (is_one && t->scan.phase != BROKEN_OFF) found = look_on(t, text, n);
    if (found != SERVE_FOUND_MORE || !ended) return found;
    *n = text.n;
    t->state = CUT_OFF;
    return is_one ? SERVE_FOUND_BLOCK : SERVE_FOUND_NOTHING;
}

/* A name as an attribute of XML: white space in it is blanks. */
static assay_text normalise(serve_bytes *room, assay_text name)
{
    room->n = 0;
    serve_bytes_add(room, name.at, name.n);
    for (size_t i = 0; i < room->n; i++)
        if (strchr("\t\n\r", room->at[i]) && room->at[i] != '\0') room->at[i] = ' ';
    return serve_bytes_text(room);
}

/* Whether a value begins with two or three ends of lines, a lone return last, and then a tag of any kind. XML
 * hands that one on by itself, and while there is nothing else of the value the published parser takes the
 * newline of its tag again. */
static bool is_handed_on_late(assay_text value)
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

/* Whether a value is put off until it is whole, and then taken as the model wrote it: a list, and an object
 * that begins like one of Python's within something in angle brackets. */
static bool is_put_off(assay_text value, const char *type)
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

/* One newline at either end of a value belongs to its tags. */
static assay_text frame(assay_text value)
{
    if (value.n > 0 && value.at[0] == '\n') value = serve_span_from(value, 1);
    if (value.n > 0 && value.at[value.n - 1] == '\n') value.n--;
    return value;
}

/* A value that is not put off, as XML hands it on. */
static assay_text read_value(serve_tools *t, assay_text value)
{
    const bool late = is_handed_on_late(value);
    value = join_lines(&t->name, value);
    return frame(late && value.n > 0 ? serve_span_from(value, 1) : value);
}

static void add_argument(serve_tools *t, const serve_xml_tag *parameter, assay_text value,
                         serve_arguments *out)
{
    serve_arguments_name(out, normalise(&t->arguments, parameter->name));
    if (value.n == 0) {
        serve_bytes_add_string(&out->text, "\"\"");
        return;
    }
    if (!is_put_off(value, parameter->type)) value = read_value(t, value);
    if (serve_tools_value(&out->text, value, parameter->type) == ASSAY_ENOMEM) t->failed = true;
}

/* Of a value that the text ends in. */
static void add_begun(serve_tools *t, const serve_xml_tag *parameter, assay_text value, serve_arguments *out)
{
    serve_arguments_name(out, normalise(&t->arguments, parameter->name));
    if (value.n == 0 || is_put_off(value, parameter->type)) return;
    serve_tools_value_begun(&out->text, read_value(t, value), parameter->type);
}

static void end_call(serve_tools *t, assay_text function, bool cut_off, serve_arguments *arguments)
{
    const assay_text object = cut_off ? serve_arguments_begun(arguments) : serve_arguments_object(arguments),
                     name = normalise(&t->name, function);
    t->failed |= arguments->text.failed || arguments->json.failed || t->name.failed;
    if (!t->failed && name.n > 0) serve_tools_call(t, name, object);
}

/* Whether a tag that is part of the value is the function's end, too, where the text ends before another. */
static bool closes_too(assay_text value)
{
    return serve_span_find(value, 0, SERVE_XML_TAGS[SERVE_XML_FUNCTION_END]) != SERVE_NOWHERE;
}

/* Hands out the functions of a block. Parameters before the first function are that one's. */
static void read_functions(serve_tools *t, assay_text block)
{
    serve_tools_scan walk = {0};
    serve_arguments arguments = {0};
    serve_xml_tag tag = {.kind = SERVE_XML_NO_TAG}, parameter = {.kind = SERVE_XML_NO_TAG};
    assay_text function = {0};
    bool begun = false, ended = false;
    do {
        tag = next_tag(t, block, &walk);
        const size_t end = tag.kind == SERVE_XML_NO_TAG ? block.n : tag.begin;
        const assay_text value =
            serve_span_part(block, parameter.kind == SERVE_XML_PARAMETER ? parameter.end : end, end);
        ended |= closes_too(value);
        const bool cut_off = tag.kind == SERVE_XML_NO_TAG && t->state == CUT_OFF && !ended;
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

/* Without what may become a tag: its '<' has no '>' behind it. */
static assay_text drop_unfinished(assay_text block)
{
    size_t end = block.n;
    while (end > 0 && block.at[end - 1] != '<' && block.at[end - 1] != '>') end--;
    return end > 0 && block.at[end - 1] == '<' ? serve_span_part(block, 0, end - 1) : block;
}

/* Without what XML keeps back for what follows: a return, half of a line's end perhaps, or two brackets,
 * which may begin "]]>". */
static assay_text drop_kept_back(assay_text block)
{
    if (serve_span_ends(block, "\r")) return serve_span_part(block, 0, block.n - 1);
    for (size_t i = 0; i < 2 && serve_span_ends(block, "]"); i++) block.n--;
    return block;
}

static serve_tools_found take(serve_tools *t, assay_text block)
{
    const size_t n_calls = t->n_calls;
    const bool closed = serve_span_ends(
        block, SERVE_XML_TAGS[t->opener == BARE ? SERVE_XML_FUNCTION_END : SERVE_XML_TOOL_CALL_END]);
    /* What stands before a call that is not closed is lost in both answers of the published server, as is an
     * opening tag that nothing follows. */
    if (!closed) t->tail.n = 0;
    if (t->state == CUT_OFF) block = drop_kept_back(drop_unfinished(block));
    else if (serve_span_ends(block, "\r")) block.n--;
    read_functions(t, block);
    return t->n_calls > n_calls || !closed ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

const serve_tools_format serve_tools_qwen3_xml = {
    .names = {"qwen3_xml", "qwen3.5", "qwen3_coder"},
    .openers = {"<tool_call>", "<function=", "<parameter="},
    .inner = {"</tool_call>", "</function>", "</parameter>"},
    .after = SERVE_AFTER_CALL_BETWEEN,
    .look = look,
    .breaks_off = serve_xml_breaks_off,
    .take = take,
};
