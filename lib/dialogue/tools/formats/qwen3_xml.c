/* qwen3_xml: <tool_call><function=NAME><parameter=KEY>VALUE</parameter>…</function></tool_call>, where the
 * outer tags are optional. The request declares the types of values.
 *
 * Without outer tags ("bare") a function is a call only if a parameter, an end tag or an outer tag follows it
 * immediately. It is dropped if the text ends before that, unless an end tag preceded it and the text has no
 * call. After a </parameter> without a parameter, or a tag without a name, only the function's name is read,
 * and only once an end tag or the next call follows. Text between the parts of a call is dropped. A call that
 * the end of the text cuts off is emitted with its arguments unclosed, without what may be the beginning of a
 * tag. A tag at the beginning of a value, or anywhere in a list, is part of the value.
 *
 * Outside of calls, a tag that another '<' interrupts makes the parser ignore the rest of the text, so no
 * marker gets into the content. Text that only resembles one, as in "a << b", is content; but after a bare
 * function that was no call it makes the parser ignore the rest as well. At the beginning of a text all of
 * this is content.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"
#include "dialogue/tools/xml_functions.h"

#include <string.h>

/* Openers: a call, a bare function, a parameter outside of calls, end tags outside of calls. */
enum { TAGGED, BARE, STRAY, CALL_END, FUNCTION_END };

typedef struct qwen3_xml_state {
    bool cut_off;     /* the text ends within the block */
    bool stray_end;   /* there was an end tag outside of calls */
    bool empty_name;  /* there was a tag with an empty name, after which no tag is read */
    bool stuck;       /* the text begins with an interrupted tag */
    bool bare_ended;  /* the last call was a bare function that </tool_call> ended */
    bool drops_begun; /* the beginning of a tag at the end of the text is dropped */
} qwen3_xml_state;

/* Values of t->scan.phase for a bare function that nothing has confirmed and of which only the name is read:
 * up to an end tag, after an interrupted tag; up to an end tag or the next call, after an end tag without its
 * start tag. */
enum { NAME_ONLY = SERVE_XML_PHASES, NAME_TO_CALL };

/* Indices in t->scan.mark for such a function: the offset after it and white space; the offset up to which
 * the text after it was scanned; and up to which the name of a tag was. */
enum { BEHIND, SEEN, LOOKED = SERVE_XML_LOOKED };

/* Whether a tag without a name begins at text[at], a '<'. */
static bool has_no_name(assay_text text, size_t at)
{
    const assay_text rest = serve_span_from(text, at);
    return serve_span_starts(rest, "<function=>") || serve_span_starts(rest, "<parameter=>");
}

/* Whether the tag at text[at], a '<', confirms the function before it. SERVE_FOUND_MORE if the tag is
 * incomplete; SERVE_FOUND_END if only an end tag can confirm the function now, as *phase says. *seen: the
 * offset up to which the end of the tag was searched for. */
static serve_tools_found scan_after(assay_text text, size_t at, size_t *seen, int *phase)
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

/* Handles an interrupted tag at offset `at` of the text: the rest of the text is ignored. But a text that
 * begins with one is content throughout. */
static serve_tools_found break_off(serve_tools *t, size_t at)
{
    qwen3_xml_state *own = t->own;
    if (at == t->n_blank && !own->drops_begun) own->stuck = true;
    return own->stuck ? SERVE_FOUND_CONTENT : SERVE_FOUND_END;
}

static serve_tools_found process_broken_tag(serve_tools *t, assay_text text, size_t at)
{
    qwen3_xml_state *own = t->own;
    if (serve_xml_is_broken_part(text)) {
        if (own->drops_begun) return SERVE_FOUND_END;
        if (at == t->n_blank) own->stuck = true;
    }
    const serve_tools_found found = serve_xml_breaks_off(text);
    return found == SERVE_FOUND_END ? break_off(t, at) : found;
}

/* Drops a tag without a name, whose '>' is at *n. No tag after it is read. */
static serve_tools_found pass_empty_name(serve_tools *t, size_t *n)
{
    qwen3_xml_state *own = t->own;
    own->empty_name = true;
    own->drops_begun = true;
    ++*n;
    return SERVE_FOUND_NOTHING;
}

/* A parameter outside of calls is content. The published server has read no text before it then. */
static serve_tools_found scan_parameter(serve_tools *t, assay_text text, bool ended, size_t *n)
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

/* Whether a <parameter=KEY> ends at text[at], so that a tag at text[at] is part of its value. text begins
 * with a tag. */
static bool is_behind_parameter(assay_text text, size_t at)
{
    size_t begin = at - 1;
    if (text.at[begin] != '>') return false;
    while (text.at[begin] != '<') begin--;
    return serve_span_starts(serve_span_from(text, begin), SERVE_XML_TAGS[SERVE_XML_PARAMETER]) &&
           !has_no_name(text, begin);
}

/* Continues from *seen and searches for what ends a function of which only the name is read. *n: the offset
 * after an end tag, or of the next call. */
static serve_tools_found scan_for_end(serve_tools *t, assay_text text, size_t *seen, size_t *n)
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

/* Decides by the next tag whether a bare function is a call. If it is not, the XML parser has read the white
 * space after it and has normalised its line ends. */
static serve_tools_found scan_bare(serve_tools *t, assay_text text, size_t *n)
{
    size_t *behind = &t->scan.mark[BEHIND], *seen = &t->scan.mark[SEEN];
    serve_xml_tag tag;
    if (t->scan.phase >= NAME_ONLY) return scan_for_end(t, text, seen, n);
    if (!serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag)) return SERVE_FOUND_MORE;
    *n = t->scan.mark[LOOKED];
    if (tag.kind != SERVE_XML_FUNCTION)
        return text.at[*n] == '>' ? pass_empty_name(t, n) : break_off(t, t->passed);
    *n = *behind = serve_span_skip(text, *behind > 0 ? *behind : tag.end);
    if (*n == text.n) return SERVE_FOUND_MORE;
    int phase = 0;
    const serve_tools_found found =
        text.at[*n] == '<' ? scan_after(text, *n, seen, &phase) : SERVE_FOUND_CONTENT;
    if (found == SERVE_FOUND_END) {
        t->scan.phase = phase;
        return scan_for_end(t, text, seen, n);
    }
    if (found != SERVE_FOUND_CONTENT) return found;
    ((qwen3_xml_state *)t->own)->drops_begun = true;
    if (t->n_calls > 0) {
        t->tail.n = 0;
        t->content_mode = SERVE_CONTENT_EMITTED;
    }
    serve_tools_content(t, serve_span_part(text, 0, tag.end));
    serve_tools_content(t, serve_xml_join_lines(&t->name, serve_span_part(text, tag.end, *n)));
    return SERVE_FOUND_NOTHING;
}

/* Scans up to the end tag, or to the next opening tag. */
static serve_tools_found scan_tags(serve_tools *t, assay_text text, size_t *n)
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

/* An end tag outside of calls is content; but after a bare function that was no call, both answers of the
 * published server drop </tool_call>. */
static serve_tools_found pass_end(serve_tools *t, size_t *n)
{
    qwen3_xml_state *own = t->own;
    *n = strlen(t->format->openers[t->opener]);
    own->stray_end = true;
    return t->opener == CALL_END && own->drops_begun ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* Skips a tag of which no call is read. */
static serve_tools_found pass_opening(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    serve_xml_tag tag;
    const bool whole = serve_xml_read(text, 0, &t->scan.mark[LOOKED], &tag);
    if (!whole && !ended) return SERVE_FOUND_MORE;
    *n = whole ? tag.end : text.n;
    return whole && tag.kind == SERVE_XML_NO_TAG ? SERVE_FOUND_END : SERVE_FOUND_NOTHING;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    qwen3_xml_state *own = t->own;
    serve_tools_found found = SERVE_FOUND_BLOCK;
    if (t->opener == CALL_END || t->opener == FUNCTION_END) return pass_end(t, n);
    if (own->empty_name) return pass_opening(t, text, ended, n);
    if (t->opener == STRAY) return scan_parameter(t, text, ended, n);
    if (t->opener == BARE && t->scan.seen == 0) found = scan_bare(t, text, n);
    bool is_one = found == SERVE_FOUND_BLOCK;
    if (is_one && t->scan.phase < NAME_ONLY) found = scan_tags(t, text, n);
    if (found != SERVE_FOUND_MORE || !ended) return found;
    *n = text.n;
    own->cut_off = true;
    /* The published server ends a function at any end tag in the text if its stream has emitted no call. */
    if (!is_one && t->scan.mark[BEHIND] > 0 && t->n_calls == 0 && own->stray_end) {
        t->scan.phase = NAME_ONLY;
        is_one = true;
    }
    return is_one ? SERVE_FOUND_BLOCK : SERVE_FOUND_NOTHING;
}

/* Removes the possible beginning of a tag: a '<' that no '>' follows. */
static assay_text drop_unfinished(assay_text block)
{
    size_t end = block.n;
    while (end > 0 && block.at[end - 1] != '<' && block.at[end - 1] != '>') end--;
    return end > 0 && block.at[end - 1] == '<' ? serve_span_part(block, 0, end - 1) : block;
}

/* Removes what the XML parser holds back at the end of its input: a carriage return, which may be half of a
 * line end, or two brackets, which may begin "]]>". */
static assay_text drop_undecided(assay_text block)
{
    if (serve_span_ends(block, "\r")) return serve_span_part(block, 0, block.n - 1);
    for (size_t i = 0; i < 2 && serve_span_ends(block, "]"); i++) block.n--;
    return block;
}

/* Has no effect once all content is emitted. */
static void set_dropped(serve_tools *t, bool dropped)
{
    if (t->content_mode == SERVE_CONTENT_EMITTED) return;
    t->content_mode = dropped ? SERVE_CONTENT_DROPPED : SERVE_CONTENT_BY_RULE;
}

/* Reads a function of which only the name is read. After its end tag the rest of the text is ignored, or, if
 * there was an end tag without its start tag within it, the text up to the next <tool_call>. */
static serve_tools_found read_name(serve_tools *t, assay_text block)
{
    const bool ended = serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_FUNCTION_END]) ||
                       serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_TOOL_CALL_END]);
    ((qwen3_xml_state *)t->own)->cut_off = false;
    serve_xml_read_functions(t, serve_span_part(block, 0, t->scan.mark[BEHIND]), false);
    if (ended && t->scan.phase == NAME_ONLY) return SERVE_FOUND_END;
    set_dropped(t, ended);
    t->disabled = ended ? 1U << BARE | 1U << STRAY : 0;
    return SERVE_FOUND_NOTHING;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    if (t->scan.phase >= NAME_ONLY) return read_name(t, block);
    qwen3_xml_state *own = t->own;
    const size_t n_calls = t->n_calls;
    const bool tag_ended = serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_TOOL_CALL_END]),
               closed = tag_ended ||
                        (t->opener == BARE && serve_span_ends(block, SERVE_XML_TAGS[SERVE_XML_FUNCTION_END]));
    /* Text before an unclosed call is dropped by both answers of the published server, and so is an opening
     * tag that nothing follows, and text between a bare function that </tool_call> ended and <tool_call>. */
    if (!closed || (t->opener == TAGGED && own->bare_ended)) t->tail.n = 0;
    if (own->cut_off) block = drop_undecided(drop_unfinished(block));
    else if (serve_span_ends(block, "\r")) block.n--;
    serve_xml_read_functions(t, block, own->cut_off);
    own->bare_ended = t->opener == BARE && tag_ended;
    set_dropped(t, false);
    t->disabled = 0;
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
    .scan_block = scan_block,
    .interrupts = process_broken_tag,
    .read_block = read_block,
    .drops_begun = drops_begun,
    .own_bytes = sizeof(qwen3_xml_state),
};
