/* The functions of qwen3_xml and their tags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_XML_FUNCTIONS_H
#define DIALOGUE_TOOLS_XML_FUNCTIONS_H

#include "dialogue/tools/xml_tag.h"

/* Phases of a walk from tag to tag (serve_tools_scan.phase): between tags; at the first byte of a value;
 * after that; in a list; after an unterminated tag, where only end tags are recognised. */
enum {
    SERVE_XML_BETWEEN,
    SERVE_XML_FIRST,
    SERVE_XML_VALUE,
    SERVE_XML_LIST,
    SERVE_XML_ONLY_ENDS,
    SERVE_XML_PHASES
};

#define SERVE_XML_LOOKED 2 /* index of the mark that says how far the name of a tag has been scanned */

/* The next tag of text from walk->seen on; SERVE_XML_NO_TAG if text has none so far. The caller zeroes walk
 * at the beginning. */
serve_xml_tag serve_xml_next_tag(serve_tools *t, assay_text text, serve_tools_scan *walk);

/* Emits the functions of a block. is_cut: the text ends within the block. Parameters before the first
 * function belong to it. */
void serve_xml_read_functions(serve_tools *t, assay_text block, bool is_cut);

/* Normalises line ends as XML does: each becomes one newline. Returns text itself, or a copy in scratch. */
assay_text serve_xml_join_lines(buffer *scratch, assay_text text);

#endif
