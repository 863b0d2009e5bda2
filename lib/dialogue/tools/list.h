/* Calls that are elements of a JSON array: [{"name": …, "arguments": {…}}, …].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_LIST_H
#define DIALOGUE_TOOLS_LIST_H

#include "dialogue/tools/object.h"
#include "dialogue/tools/state.h"

typedef enum serve_list {
    SERVE_LIST_NONE,  /* the text is not a JSON array */
    SERVE_LIST_EMPTY, /* an array without elements */
    SERVE_LIST_UNCALLED,
    SERVE_LIST_CALLS
} serve_list;

/* Whether the array that begins at text[begin] is closed in text; t->scan.seen is the offset after it then.
 * Continues where the last call stopped when text has grown. */
bool serve_list_find_end(serve_tools *t, assay_text text, size_t begin);

/* Emits the calls of a JSON array with white space around it. Elements that are not calls are skipped. */
serve_list serve_list_read(serve_tools *t, assay_text list, const serve_tools_members *members);

#endif
