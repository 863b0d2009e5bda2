/* The tags of qwen3_xml: <tool_call>, <function=NAME>, <parameter=KEY>, and their ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_XML_TAG_H
#define SERVING_TOOLS_XML_TAG_H

#include "serving/tools/state.h"

typedef enum serve_xml_kind {
    SERVE_XML_TOOL_CALL,
    SERVE_XML_TOOL_CALL_END,
    SERVE_XML_FUNCTION,
    SERVE_XML_FUNCTION_END,
    SERVE_XML_PARAMETER,
    SERVE_XML_PARAMETER_END,
    SERVE_XML_NO_TAG
} serve_xml_kind;

typedef struct serve_xml_tag {
    serve_xml_kind kind;
    size_t begin, end;
    assay_text name;  /* of a function or a parameter */
    const char *type; /* of a parameter, as serve_tools_request_type says */
} serve_xml_tag;

/* As they begin, in the order of the kinds. */
extern const char *const SERVE_XML_TAGS[SERVE_XML_NO_TAG];

/* The tag that begins at text[at], a '<', as far as it is there: false where more is needed, *looked then
 * says how far its name was looked at. */
bool serve_xml_read(assay_text text, size_t at, size_t *looked, serve_xml_tag *out);

/* Whether text, which begins with '<' and has another one at text.at[n], begins a tag up to there, and that
 * has no end: its name is under way, or the other one begins a tag. SERVE_FOUND_END where it is so,
 * SERVE_FOUND_CONTENT, or SERVE_FOUND_MORE. */
serve_tools_found serve_xml_broken_off(assay_text text, size_t n);

/* Whether text begins with a part of a tag, but no tag with a name, that another '<' breaks off. */
bool serve_xml_is_broken_part(assay_text text);

/* Whether text, which serve_xml_read has found no tag in, begins one that another breaks off, or that has no
 * name. */
bool serve_xml_is_begun(assay_text text);

/* The same as serve_xml_broken_off for any text that begins with '<', but no tag with a name. */
serve_tools_found serve_xml_breaks_off(assay_text text);

#endif
