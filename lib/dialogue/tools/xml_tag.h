/* The tags of qwen3_xml: <tool_call>, <function=NAME>, <parameter=KEY>, and their ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_XML_TAG_H
#define DIALOGUE_TOOLS_XML_TAG_H

#include "dialogue/tools/state.h"

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
    const char *type; /* of a parameter, from serve_tools_request_type */
} serve_xml_tag;

/* The beginning of each tag, in the order of the kinds. */
extern const char *const SERVE_XML_TAGS[SERVE_XML_NO_TAG];

/* Reads the tag at text[at], a '<'. False if more text is needed; *looked is then the offset up to which its
 * name was scanned. */
bool serve_xml_read(assay_text text, size_t at, size_t *looked, serve_xml_tag *out);

/* Whether the tag that text begins with is interrupted by the '<' at text.at[n]: SERVE_FOUND_END if its name
 * has begun, or if a tag begins at n; SERVE_FOUND_CONTENT if not; SERVE_FOUND_MORE if text is too short to
 * tell. */
serve_tools_found serve_xml_broken_off(assay_text text, size_t n);

/* Whether text begins with a prefix of a tag, but no tag with a name, that is interrupted by another '<'. */
bool serve_xml_is_broken_part(assay_text text);

/* Whether text, in which serve_xml_read has found no tag, begins with a tag that is interrupted by another
 * '<', or that has no name. */
bool serve_xml_is_begun(assay_text text);

/* As serve_xml_broken_off, for any text that begins with '<' and is not a tag with a name. */
serve_tools_found serve_xml_breaks_off(assay_text text);

#endif
