/* auto: the calls of the first of these formats of which the text has a call: gemma4, deepseek_v4, glm47,
 * [TOOL_CALLS] as for mistral; otherwise the calls of all of these, one format after the other: [Calling
 * tool: NAME({…})], [NAME({…})], functions and objects between <tool_call> tags,
 * <function=NAME>{…}</function>, and objects without markers.
 *
 * A later marker of another format can turn the text before it into content. So all text is held from the
 * first marker on, and the calls are emitted at the end of the text. An object before the first marker is
 * content. Tags at the beginning of the reply are held as well: they are dropped before calls of glm47 and
 * before objects without markers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/formats/auto_passes.h"
#include "dialogue/tools/list.h"
#include "dialogue/tools/machine.h"
#include "dialogue/tools/output.h"

#include <string.h>

#define TAG       "<tool_call>"
#define GEMMA     "<|tool_call>"
#define DSML      "<｜DSML｜tool_calls>"
#define MARKER    "[TOOL_CALLS]"
#define BRACKET   "[Calling tool:"
#define FUNCTION  "<function="
#define GEMMA_END "<tool_call|>"
#define GLM_KEY   "<arg_key>"
#define TAG_END   "</tool_call>"

enum { TAGGED, GEMMA4, DEEPSEEK_V4, NAMED, BRACKETED, LEADING }; /* openers */

/* Whether text, which begins with '[', begins with a marker or with '[', a name and "({". */
static serve_tools_found scan_bracket(serve_tools_scan *scan, assay_text text)
{
    if (serve_span_starts(text, MARKER) || serve_span_starts(text, BRACKET)) return SERVE_FOUND_BLOCK;
    if (serve_span_begins(text, MARKER) || serve_span_begins(text, BRACKET)) return SERVE_FOUND_MORE;
    if (scan->seen == 0) scan->seen = 1;
    scan->seen += serve_span_word(serve_span_from(text, scan->seen));
    const assay_text rest = serve_span_from(text, scan->seen);
    if (rest.n > 0 && scan->seen == 1) return SERVE_FOUND_CONTENT;
    if (serve_span_starts(rest, "({")) return SERVE_FOUND_BLOCK;
    return serve_span_begins(rest, "({") ? SERVE_FOUND_MORE : SERVE_FOUND_CONTENT;
}

/* SERVE_FOUND_BLOCK if text begins with one of all[0..n), whose length is *length; SERVE_FOUND_MORE if text
 * is a proper prefix of one. */
static serve_tools_found match_any(const char *const *all, size_t n, assay_text text, size_t *length)
{
    serve_tools_found found = SERVE_FOUND_CONTENT;
    for (size_t i = 0; i < n; i++) {
        *length = serve_span_alike(text, all[i]);
        if (all[i][*length] == '\0') return SERVE_FOUND_BLOCK;
        if (*length == text.n) found = SERVE_FOUND_MORE;
    }
    return found;
}

/* Whether text begins with a marker. behind: the text has a '<' before it, which makes any '[' a marker. */
static serve_tools_found match_marker(assay_text text, bool behind)
{
    static const char *const MARKERS[] = {TAG, GEMMA, DSML, FUNCTION, "["};
    size_t n;
    return match_any(MARKERS, behind ? 5 : 4, text, &n);
}

/* Whether the reply, which begins with text, begins with tags and white space that a marker follows:
 * SERVE_FOUND_BLOCK. A prefix of a deepseek_v4 marker may be between them. scan->mark[0]: the offset of the
 * marker. */
static serve_tools_found scan_leading(serve_tools_scan *scan, assay_text text)
{
    static const char *const TAGS[] = {TAG_END, "<tool_call_reasoning>", "</tool_call_reasoning>"};
    serve_tools_found found = SERVE_FOUND_BLOCK;
    for (size_t n = 0; found == SERVE_FOUND_BLOCK; scan->seen += n) {
        scan->seen = serve_span_skip(text, scan->seen);
        found = match_any(TAGS, sizeof TAGS / sizeof *TAGS, serve_span_from(text, scan->seen), &n);
        if (found != SERVE_FOUND_BLOCK) n = 0;
    }
    scan->mark[0] = scan->seen;
    const assay_text rest = serve_span_from(text, scan->seen);
    const serve_tools_found marked = match_marker(rest, true);
    if (marked != SERVE_FOUND_CONTENT) found = marked;
    const size_t n_begun = serve_span_alike(rest, DSML);
    if (found == SERVE_FOUND_BLOCK || n_begun == 0) return found;
    const serve_tools_found behind = match_marker(serve_span_from(rest, n_begun), true);
    if (behind == SERVE_FOUND_BLOCK) scan->mark[0] += n_begun;
    return behind == SERVE_FOUND_CONTENT ? found : behind;
}

/* Whether a block begins; it reaches to the end of the text then. */
static serve_tools_found scan_beginning(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const bool leading = t->opener == LEADING && t->passed == t->n_blank;
    const serve_tools_found found = leading                  ? scan_leading(&t->scan, text)
                                    : t->opener == BRACKETED ? scan_bracket(&t->scan, text)
                                                             : match_marker(text, false);
    *n = leading && t->scan.mark[0] > 0 ? t->scan.mark[0] : 1;
    return found == SERVE_FOUND_MORE && ended ? SERVE_FOUND_CONTENT : found;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->scan.phase == 0) {
        const serve_tools_found found = scan_beginning(t, text, ended, n);
        if (found != SERVE_FOUND_BLOCK) return found;
        t->scan.phase = 1;
    }
    return serve_tools_hold(t, text, ended, n);
}

/* Whether the first tag begins a call of glm47: a name, followed by a newline, a key or the end tag. */
static bool is_glm(assay_text text)
{
    const size_t tag = serve_span_find(text, 0, TAG);
    if (tag == SERVE_NOWHERE) return false;
    size_t at = serve_span_skip(text, tag + strlen(TAG));
    const char c = at < text.n ? text.at[at] : '\0';
    if (c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) return false;
    for (size_t n = 1; n > 0; at += n) {
        n = serve_span_word(serve_span_from(text, at));
        if (n == 0 && at < text.n && text.at[at] == '.') n = 1;
    }
    const size_t end = serve_span_skip(text, at);
    const assay_text rest = serve_span_from(text, end);
    return (end > at && memchr(text.at + at, '\n', end - at)) || serve_span_starts(rest, GLM_KEY) ||
           serve_span_starts(rest, TAG_END);
}

static const serve_tools_members MEMBERS = {.arguments = {"arguments"}};

/* Reads the text between two markers: an array, or a name and arguments that begin with '{'. */
static void read_marked(serve_tools *t, assay_text text)
{
    const size_t brace = serve_span_find(text, 0, "{");
    if (serve_span_starts(text, "[") || brace == SERVE_NOWHERE) {
        (void)serve_list_read(t, text, &MEMBERS);
        return;
    }
    const assay_text name = serve_span_trim(serve_span_part(text, 0, brace));
    if (name.n > 0) serve_tools_call(t, name, serve_span_from(text, brace));
}

static void read_mistral(serve_tools *t, assay_text text)
{
    size_t at = serve_span_find(text, 0, MARKER);
    while (at != SERVE_NOWHERE) {
        const size_t begin = at + strlen(MARKER);
        at = serve_span_find(text, begin, MARKER);
        read_marked(t, serve_span_trim(serve_span_part(text, begin, at == SERVE_NOWHERE ? text.n : at)));
    }
}

/* The first gemma4 block in text, up to its end or the end of the text; empty if there is none. */
static assay_text gemma_block(assay_text text)
{
    const size_t begin = serve_span_find(text, 0, GEMMA);
    if (begin == SERVE_NOWHERE) return (assay_text){0};
    const size_t end = serve_span_find(text, begin, GEMMA_END);
    return serve_span_part(text, begin, end == SERVE_NOWHERE ? text.n : end + strlen(GEMMA_END));
}

/* Emits the calls of a single format. *drops: both answers of the published server drop the tags before
 * them. */
static bool read_one(serve_tools *t, assay_text block, bool *drops)
{
    const assay_text gemma = gemma_block(block);
    if (gemma.n > 0 && serve_tools_try(t, &serve_tools_gemma4, gemma)) return true;
    if (serve_tools_try(t, &serve_tools_deepseek_v4, block)) return true;
    *drops = is_glm(block) && serve_tools_try(t, &serve_tools_glm47, block);
    if (!*drops) read_mistral(t, block);
    return t->n_calls > 0;
}

/* The offset of a deepseek_v4 block in text, or of a prefix of its marker at the end of text; text.n if there
 * is neither. */
static size_t find_dsml(assay_text text)
{
    const size_t found = serve_span_find(text, 0, DSML);
    if (found != SERVE_NOWHERE) return found;
    size_t at = text.n < strlen(DSML) ? 0 : text.n - strlen(DSML);
    while (at < text.n && !serve_span_begins(serve_span_from(text, at), DSML)) at++;
    return at;
}

/* Emits the calls of a single format, or of several formats, or of objects without markers. */
static void read_any(serve_tools *t, assay_text block, bool *drops)
{
    if (read_one(t, block, drops)) return;
    /* A deepseek_v4 block without a call, or the beginning of one, is content after calls with markers. */
    const size_t end = find_dsml(block);
    serve_auto_read_all(t, serve_span_part(block, 0, end), false);
    if (t->n_calls > 0) {
        serve_tools_content(t, serve_span_from(block, end));
        return;
    }
    serve_auto_read_all(t, block, true);
    *drops = true;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    bool drops = false;
    const size_t n_tags = t->opener == LEADING ? t->scan.mark[0] : 0;
    read_any(t, serve_span_from(block, n_tags), &drops);
    if (t->n_calls == 0) return SERVE_FOUND_CONTENT;
    if (!drops) serve_tools_content(t, serve_span_part(block, 0, n_tags));
    return SERVE_FOUND_NOTHING;
}

const serve_tools_format serve_tools_auto = {
    .names = {"auto", "generic"},
    .openers = {TAG, GEMMA, DSML, FUNCTION, "[", "<"},
    .inner = {MARKER, TAG_END, "</function>", "<tool_call|>", "</｜DSML｜tool_calls>"},
    .after = SERVE_AFTER_KEPT,
    .scan_block = scan_block,
    .read_block = read_block,
};
