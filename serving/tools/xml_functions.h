/* The functions of qwen3_xml, and the tags in them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_XML_FUNCTIONS_H
#define SERVING_TOOLS_XML_FUNCTIONS_H

#include "serving/tools/xml_tag.h"

/* serve_tools_scan.phase of a walk from tag to tag: between tags, at the first byte of a value, behind that,
 * in a list, or behind a tag that another breaks off, where only ends are read. */
enum {
    SERVE_XML_BETWEEN,
    SERVE_XML_FIRST,
    SERVE_XML_VALUE,
    SERVE_XML_LIST,
    SERVE_XML_ONLY_ENDS,
    SERVE_XML_PHASES
};

#define SERVE_XML_LOOKED 2 /* the mark of how far the name of a tag was looked at */

/* The next tag of text from walk->seen on; SERVE_XML_NO_TAG: none yet. walk is zeroed at the beginning. */
serve_xml_tag serve_xml_next_tag(serve_tools *t, assay_text text, serve_tools_scan *walk);

/* Hands out the functions of a block; is_cut: the text ends in it. Parameters before the first function are
 * that one's. */
void serve_xml_take_functions(serve_tools *t, assay_text block, bool is_cut);

/* A text as XML hands it on: each end of a line is one newline. It, or in room. */
assay_text serve_xml_join_lines(serve_bytes *room, assay_text text);

#endif
