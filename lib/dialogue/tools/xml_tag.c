/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/xml_tag.h"

#include <string.h>

const char *const SERVE_XML_TAGS[SERVE_XML_NO_TAG] = {
    "<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>"};

/* The only kind of tag that rest, which begins with '<', can be, judged by the byte after '<' or "</".
 * *whole: that byte is there. */
static serve_xml_kind guess_kind(assay_text rest, bool *whole)
{
    static const char LETTERS[] = "tfp"; /* in the order of the kinds */
    const size_t closes = rest.n > 1 && rest.at[1] == '/';
    *whole = rest.n > 1 + closes;
    const char *letter = *whole ? memchr(LETTERS, rest.at[1 + closes], strlen(LETTERS)) : NULL;
    return letter ? (serve_xml_kind)(2 * (size_t)(letter - LETTERS) + closes) : SERVE_XML_NO_TAG;
}

bool serve_xml_read(assay_text text, size_t at, size_t *looked, serve_xml_tag *out)
{
    const assay_text rest = serve_span_from(text, at);
    bool whole;
    const serve_xml_kind kind = guess_kind(rest, &whole);
    *out = (serve_xml_tag){.kind = SERVE_XML_NO_TAG, .begin = at, .end = at + 1};
    if (kind == SERVE_XML_NO_TAG) return whole;
    const size_t n = serve_span_alike(rest, SERVE_XML_TAGS[kind]);
    if (SERVE_XML_TAGS[kind][n] != '\0') return n < rest.n;
    out->kind = kind;
    out->end = at + n;
    if (out->kind != SERVE_XML_FUNCTION && out->kind != SERVE_XML_PARAMETER) return true;
    size_t end = *looked > at + n ? *looked - at : n;
    while (end < rest.n && rest.at[end] != '>' && rest.at[end] != '<') end++;
    *looked = at + end;
    out->name = serve_span_part(rest, n, end);
    out->end = at + end + 1;
    if (end == rest.n) return false;
    if (rest.at[end] == '<' || end == n)
        *out = (serve_xml_tag){.kind = SERVE_XML_NO_TAG, .begin = at, .end = at + 1};
    return true;
}

/* The length of the longest common prefix of text, which begins with '<', and a tag. *which: the kind of that
 * tag if it is complete. */
static size_t measure_alike(assay_text text, serve_xml_kind *which)
{
    bool whole;
    const serve_xml_kind kind = guess_kind(text, &whole);
    *which = SERVE_XML_NO_TAG;
    if (!whole) return text.n;
    if (kind == SERVE_XML_NO_TAG) return text.at[1] == '/' ? 2 : 1;
    const size_t n = serve_span_alike(text, SERVE_XML_TAGS[kind]);
    if (SERVE_XML_TAGS[kind][n] == '\0') *which = kind;
    return n;
}

serve_tools_found serve_xml_broken_off(assay_text text, size_t n)
{
    serve_xml_kind which;
    const size_t n_alike = measure_alike(text, &which);
    if (which == SERVE_XML_FUNCTION || which == SERVE_XML_PARAMETER) return SERVE_FOUND_END;
    if (n_alike < n) return SERVE_FOUND_CONTENT;
    text = serve_span_from(text, n);
    const bool is_cut = measure_alike(text, &which) == text.n;
    if (which != SERVE_XML_NO_TAG) return SERVE_FOUND_END;
    return is_cut ? SERVE_FOUND_MORE : SERVE_FOUND_CONTENT;
}

bool serve_xml_is_broken_part(assay_text text)
{
    serve_xml_kind which;
    const size_t n = measure_alike(text, &which);
    return which == SERVE_XML_NO_TAG && n < text.n && text.at[n] == '<';
}

bool serve_xml_is_begun(assay_text text)
{
    return serve_span_starts(text, SERVE_XML_TAGS[SERVE_XML_FUNCTION]) ||
           serve_span_starts(text, SERVE_XML_TAGS[SERVE_XML_PARAMETER]) || serve_xml_is_broken_part(text);
}

serve_tools_found serve_xml_breaks_off(assay_text text)
{
    serve_xml_kind which;
    const size_t n = measure_alike(text, &which);
    if (which != SERVE_XML_NO_TAG) return SERVE_FOUND_CONTENT;
    if (n == text.n) return SERVE_FOUND_MORE;
    return text.at[n] == '<' ? serve_xml_broken_off(text, n) : SERVE_FOUND_CONTENT;
}
