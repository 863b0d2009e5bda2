/* qwen3_xml: <tool_call><function=NAME><parameter=KEY>VALUE</parameter>…</function></tool_call>, the outer
 * tags optional. A value's type is what the request says.
 *
 * Without the outer tags a function is one only if a parameter, an end or an outer tag follows at once; it is
 * dropped where the text ends before that, unless an end stood before it and nothing was called. Behind the
 * end of a parameter, or a tag without a name, only its name counts, and only once an end follows, or the
 * next call. What stands between the parts of a call is dropped. A call that the text ends in is one, but its
 * arguments are left open, and what may become a tag is no part of them. A tag that stands at the very
 * beginning of a value, or anywhere in a list, is part of the value.
 *
 * Outside of calls, and behind anything, a tag without an end that another one breaks off ends what is read:
 * no marker reaches the content. What only begins like one, as in "a << b", is content; but behind a bare
 * function that was none it ends what is read, too. At the very beginning of a text all of that is content.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools/formats.h"
#include "serving/tools/output.h"
#include "serving/tools/state.h"
#include "serving/tools/xml_functions.h"

#include <string.h>

/* Openers: a call, a function without outer tags, a parameter outside of calls, ends of calls outside of
 * them. */
enum { TAGGED, BARE, STRAY, CALL_END, FUNCTION_END };
typedef struct qwen3_xml_state {
    bool cut_off;     /* the text ends within the block */
    bool stray_end;   /* there was an end outside of calls */
    bool empty_name;  /* there was a tag with an empty name, behind which no tag is read */
    bool stuck;       /* the text begins with a tag without an end */
    bool bare_ended;  /* the last call was a bare function, and the end of a call its end */
    bool drops_begun; /* a beginning of a tag that the text ends in is dropped */
} qwen3_xml_state;

/* t->scan.phase of a bare function that nothing has confirmed, and of which only the name is read: up to an
 * end, behind a tag that has none; up to an end or the next call, behind an end of what has not begun. */
enum { NAME_ONLY = SERVE_XML_PHASES, NAME_TO_CALL };

/* t->scan.mark of such a function: behind it and white space; to where what follows was looked at; and how
 * far the name of a tag was. */
enum { BEHIND, SEEN, LOOKED = SERVE_XML_LOOKED };

/* Whether text, from a '<' at `at` on, has a tag without a name there. */
static bool has_no_name(assay_text text, size_t at)
{
    const assay_text rest = serve_span_from(text, at);
    return serve_span_starts(rest, "<function=>") || serve_span_starts(rest, "<parameter=>");
}

/* Whether the tag at text[at], a '<', confirms a function before it. *seen: to where its end was looked for.
 * SERVE_FOUND_MORE where that is not there yet, SERVE_FOUND_END where only an end can confirm it any more;
 * *phase says up to where. */
static serve_tools_found look_behind(assay_text text, size_t at, size_t *seen, int *phase)
{
    size_t looked = 0;
    serve_xml_tag tag;
    if (*seen <= at) *seen = at + 1;
    while (*seen < text.n && text.at[*seen] != '<' && text.at[*seen] != '>') ++*seen;
    if (*seen >= text.n) return SERVE_FOUND_MORE;
    *phase = NAME_ONLY;
    if (text.at[*seen] == '<') {
        const assay_text rest = serve_span_from(text, at);
        return serve_xml_is_broken_part(rest) ? SERVE_FOUND_END : serve_xml_broken_off(rest, *seen - at);
    }
    if (!serve_xml_read(text, at, &looked, &tag)) return SERVE_FOUND_MORE;
    *phase = NAME_TO_CALL;
    if (tag.kind == SERVE_XML_PARAMETER_END || has_no_name(text, at)) return SERVE_FOUND_END;
    const bool confirms = tag.kind != SERVE_XML_NO_TAG && tag.kind != SERVE_XML_FUNCTION;
    return confirms ? SERVE_FOUND_BLOCK : SERVE_FOUND_CONTENT;
}

/* A tag that another breaks off, `at` bytes into the text: nothing is read from here on. But text that begins
 * with one stays content, whatever breaks off in it. */
static serve_tools_found break_off(serve_tools *t, size_t at)
{
    qwen3_xml_state *own = t->own;
    if (at == t->n_blank && !own->drops_begun) own->stuck = true;
    return own->stuck ? SERVE_FOUND_CONTENT : SERVE_FOUND_END;
}

static serve_tools_found breaks_off(serve_tools *t, assay_text text, size_t at)
{
    qwen3_xml_state *own = t->own;
    if (serve_xml_is_broken_part(text)) {
        if (own->drops_begun) return SERVE_FOUND_END;
        if (at == t->n_blank) own->stuck = true;
    }
    const serve_tools_found found = serve_xml_breaks_off(text);
    return found == SERVE_FOUND_END ? break_off(t, at) : found;
}

/* A tag without a name, up to its '>' at *n: dropped, and no tag behind it is read. */
static serve_tools_found pass_empty_name(serve_tools *t, size_t *n)
{
    qwen3_xml_state *own = t->own;
    own->empty_name = true;
    own->drops_begun = true;
    ++*n;
    return SERVE_FOUND_NOTHING;
}

/* A parameter outside of calls is content. The published server has not read any text before it then. */
static serve_tools_found look_parameter(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const qwen3_xml_state *own = t->own;
    serve_xml_tag tag;
    const bool whole = serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag);
    *n = t->scan.mark[LOOKED];
    if (!whole && ended) return own->drops_begun ? SERVE_FOUND_END : SERVE_FOUND_CONTENT;
    if (!whole) return SERVE_FOUND_MORE;
    if (text.at[*n] != '>') return break_off(t, t->passed);
    if (own->drops_begun && *n == strlen(SERVE_XML_TAGS[SERVE_XML_PARAMETER])) return pass_empty_name(t, n);
    ++*n;
    if (t->passed == t->n_blank) t->n_blank += *n;
    return SERVE_FOUND_CONTENT;
}

/* Whether a parameter's opening tag ends at text[at], behind the tag that text begins with: then a tag that
 * begins there is part of its value. */
static bool is_behind_parameter(assay_text text, size_t at)
{
    size_t begin = at - 1;
    if (text.at[begin] != '>') return false;
    while (text.at[begin] != '<') begin--;
    return serve_span_starts(serve_span_from(text, begin), SERVE_XML_TAGS[SERVE_XML_PARAMETER]) &&
           !has_no_name(text, begin);
}

/* Looks on from *seen for what ends a function of which only the name is read: *n comes behind an end tag, or
 * before that of a call. */
static serve_tools_found look_for_end(serve_tools *t, assay_text text, size_t *seen, size_t *n)
{
    serve_xml_tag tag;
    for (size_t at; (at = serve_span_find_next(text, seen, "<")) != SERVE_NOWHERE;) {
        if (!serve_xml_read(text, at, &t->scan.mark[LOOKED], &tag)) {
            *seen = at;
            return SERVE_FOUND_MORE;
        }
        const bool is_call = tag.kind == SERVE_XML_TOOL_CALL && t->scan.phase == NAME_TO_CALL;
        *n = is_call ? at : tag.end;
        if (tag.kind == SERVE_XML_FUNCTION_END || tag.kind == SERVE_XML_TOOL_CALL_END)
            return SERVE_FOUND_BLOCK;
        if (is_call && !is_behind_parameter(text, at)) return SERVE_FOUND_BLOCK;
        if (tag.kind == SERVE_XML_NO_TAG && serve_xml_is_begun(serve_span_from(text, at)) &&
            !has_no_name(text, at))
            t->scan.phase = NAME_ONLY;
    }
    return SERVE_FOUND_MORE;
}

/* A function that no outer tag stands before: whether it is one, as the next tag tells. Where it is none, XML
 * has read the white space behind it, and handed it on with its own ends of lines. */
static serve_tools_found look_bare(serve_tools *t, assay_text text, size_t *n)
{
    size_t *behind = &t->scan.mark[BEHIND], *seen = &t->scan.mark[SEEN];
    serve_xml_tag tag;
    if (t->scan.phase >= NAME_ONLY) return look_for_end(t, text, seen, n);
    if (!serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag)) return SERVE_FOUND_MORE;
    *n = t->scan.mark[LOOKED];
    if (tag.kind != SERVE_XML_FUNCTION)
        return text.at[*n] == '>' ? pass_empty_name(t, n) : break_off(t, t->passed);
    *n = *behind = serve_span_skip(text, *behind > 0 ? *behind : tag.end);
    if (*n == text.n) return SERVE_FOUND_MORE;
    int phase = 0;
    const serve_tools_found found =
        text.at[*n] == '<' ? look_behind(text, *n, seen, &phase) : SERVE_FOUND_CONTENT;
    if (found == SERVE_FOUND_END) {
        t->scan.phase = phase;
        return look_for_end(t, text, seen, n);
    }
    if (found != SERVE_FOUND_CONTENT) return found;
    ((qwen3_xml_state *)t->own)->drops_begun = true;
    if (t->n_calls > 0) {
        t->tail.n = 0;
        t->content_mode = SERVE_CONTENT_HANDED_OUT;
    }
    serve_tools_content(t, serve_span_part(text, 0, tag.end));
    serve_tools_content(t, serve_xml_join_lines(&t->name, serve_span_part(text, tag.end, *n)));
    return SERVE_FOUND_NOTHING;
}

/* To the end tag, or to the next opening one. */
static serve_tools_found look_on(serve_tools *t, assay_text text, size_t *n)
{
    for (;;) {
        const serve_xml_tag tag = serve_xml_next_tag(t, text, &t->scan);
        if (tag.kind == SERVE_XML_NO_TAG) {
            if (t->scan.phase != SERVE_XML_FIRST) serve_tools_wait_for(t, text, "<");
            return SERVE_FOUND_MORE;
        }
        const bool ends =
            tag.kind == SERVE_XML_TOOL_CALL_END || (tag.kind == SERVE_XML_FUNCTION_END && t->opener == BARE);
        *n = ends ? tag.end : tag.begin;
        if (ends || (tag.kind == SERVE_XML_TOOL_CALL && tag.begin > 0)) return SERVE_FOUND_BLOCK;
    }
}

/* An end outside of calls is content; but behind a bare function that was none, neither answer of the
 * published server has that of a call. */
static serve_tools_found pass_end(serve_tools *t, size_t *n)
{
    qwen3_xml_state *own = t->own;
    *n = strlen(t->format->openers[t->opener]);
    own->stray_end = true;
    return t->opener == CALL_END && own->drops_begun ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* A tag that no call is read from. */
static serve_tools_found pass_opening(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_xml_tag tag;
    const bool whole = serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag);
    if (!whole && !ended) return SERVE_FOUND_MORE;
    *n = whole ? tag.end : text.n;
    return whole && tag.kind == SERVE_XML_NO_TAG ? SERVE_FOUND_END : SERVE_FOUND_NOTHING;
}

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    qwen3_xml_state *own = t->own;
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (t->opener == CALL_END || t->opener == FUNCTION_END) return pass_end(t, n);
    if (own->empty_name) return pass_opening(t, text, ended, n);
    if (t->opener == STRAY) return look_parameter(t, text, ended, n);
    if (t->opener == BARE && t->scan.seen == 0) found = look_bare(t, text, n);
    bool is_one = found == SERVE_FOUND_BLOCK;
    if (is_one && t->scan.phase < NAME_ONLY) found = look_on(t, text, n);
    if (found != SERVE_FOUND_MORE || !ended) return found;
    *n = text.n;
    own->cut_off = true;
    /* The published server ends a function at any end in the text, if a stream has told no call. */
    if (!is_one && t->scan.mark[BEHIND] > 0 && t->n_calls == 0 && own->stray_end) {
        t->scan.phase = NAME_ONLY;
        is_one = true;
    }
    return is_one ? SERVE_FOUND_BLOCK : SERVE_FOUND_NOTHING;
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

/* Content that is handed out stays so. */
static void set_dropped(serve_tools *t, bool dropped)
{
    if (t->content_mode == SERVE_CONTENT_HANDED_OUT) return;
    t->content_mode = dropped ? SERVE_CONTENT_DROPPED : SERVE_CONTENT_BY_RULE;
}

/* A function of which only the name is read. Behind its end nothing is read at all, or, if an end of what had
 * not begun stood in it, nothing before the next <tool_call>. */
static serve_tools_found take_name(serve_tools *t, assay_text block)
{
    const bool ended = serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_FUNCTION_END]) ||
                       serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_TOOL_CALL_END]);
    ((qwen3_xml_state *)t->own)->cut_off = false;
    serve_xml_take_functions(t, serve_span_part(block, 0, t->scan.mark[BEHIND]), false);
    if (ended && t->scan.phase == NAME_ONLY) return SERVE_FOUND_END;
    set_dropped(t, ended);
    t->dead = ended ? 1U << BARE | 1U << STRAY : 0;
    return SERVE_FOUND_NOTHING;
}

static serve_tools_found take(serve_tools *t, assay_text block)
{
    if (t->scan.phase >= NAME_ONLY) return take_name(t, block);
    qwen3_xml_state *own = t->own;
    const size_t n_calls = t->n_calls;
    const bool tag_ended = serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_TOOL_CALL_END]),
               closed = tag_ended ||
                        (t->opener == BARE && serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_FUNCTION_END]));
    /* What stands before a call that is not closed is lost in both answers of the published server, as is an
     * opening tag that nothing follows; so is what stands between a bare function that </tool_call> ended and
     * <tool_call>. */
    if (!closed || (t->opener == TAGGED && own->bare_ended)) t->tail.n = 0;
    if (own->cut_off) block = drop_kept_back(drop_unfinished(block));
    else if (serve_span_ends(block, "\r")) block.n--;
    serve_xml_take_functions(t, block, own->cut_off);
    own->bare_ended = t->opener == BARE && tag_ended;
    set_dropped(t, false);
    t->dead = 0;
    return t->n_calls > n_calls || !closed ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

static bool drops_begun(const serve_tools *t)
{
    const qwen3_xml_state *own = t->own;
    return own->drops_begun;
}

const serve_tools_format serve_tools_qwen3_xml = {
    .names = {"qwen3_xml", "qwen3.5", "qwen3_coder"},
    .openers = {"<tool_call>", "<function=", "<parameter=", "</tool_call>", "</function>"},
    .inner = {"</parameter>"},
    .ends = 1U << CALL_END | 1U << FUNCTION_END,
    .after = SERVE_AFTER_CALL_BETWEEN,
    .look = look,
    .breaks_off = breaks_off,
    .take = take,
    .drops_begun = drops_begun,
    .own_bytes = sizeof(qwen3_xml_state),
};
