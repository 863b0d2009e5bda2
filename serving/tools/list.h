/* Calls that stand in a JSON array: [{"name": …, "arguments": {…}}, …].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_LIST_H
#define SERVING_TOOLS_LIST_H

#include "serving/tools/object.h"
#include "serving/tools/state.h"

typedef enum serve_list {
    SERVE_LIST_NONE,  /* the text is no JSON array */
    SERVE_LIST_EMPTY, /* an array without elements */
    SERVE_LIST_UNCALLED,
    SERVE_LIST_CALLS
} serve_list;

/* Whether the array that begins at text[begin] ends in text, before t->scan.seen then. Goes on from there
 * where text has grown. */
bool serve_list_find_end(serve_tools *t, assay_text text, size_t begin);

/* Hands out the calls of a JSON array, white space around it. Elements that are no calls are passed over. */
serve_list serve_list_read(serve_tools *t, assay_text list, const serve_tools_members *members);

#endif
