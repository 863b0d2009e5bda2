/* Calls that are written in brackets: [Calling tool: NAME({...})].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_BRACKET_H
#define DIALOGUE_TOOLS_BRACKET_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>

#define SERVE_BRACKET     "[Calling tool:"
#define SERVE_BRACKET_END ")]"

/* What follows SERVE_BRACKET. */
typedef enum serve_bracket {
    SERVE_BRACKET_CALL, /* a name and "({" */
    SERVE_BRACKET_OPEN, /* the beginning of these */
    SERVE_BRACKET_OTHER
} serve_bracket;

/* Reads text, which begins with SERVE_BRACKET, up to "({".
 *     mark: [2], the offsets of the beginning and the end of the name as far as it has been read. The caller
 * zeroes them first and passes them again when text has grown. */
serve_bracket serve_bracket_read(assay_text text, size_t *mark);

/* Whether text ends in a complete call in brackets.
 *     mark: [2], the offset after the last SERVE_BRACKET, and the offset up to which text has been searched
 * for one. The caller zeroes them first and passes them again when text has grown. */
bool serve_bracket_ends(assay_text text, size_t *mark);

#endif
