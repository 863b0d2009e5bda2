/* Calls that are written as JSON objects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_OBJECT_H
#define DIALOGUE_TOOLS_OBJECT_H

#include "dialogue/tools/state.h"

/* The members of a call. Its name is in `name`. */
typedef struct serve_tools_members {
    const char *other_name;   /* read if `name` is no string, or empty; may be NULL */
    const char *arguments[2]; /* in order of precedence; the second may be NULL */
    bool required;            /* an object without arguments is not a call */
    bool verbatim; /* arguments that are a string remain a JSON string; otherwise the string's text is the
                      arguments */
    bool trimmed;  /* the name is trimmed */
} serve_tools_members;

/* Indices of the members in the arrays of names and values. */
enum { SERVE_NAME, SERVE_OTHER_NAME, SERVE_ARGUMENTS, SERVE_OTHER_ARGUMENTS, SERVE_N_MEMBERS };
void serve_tools_member_names(const serve_tools_members *members, const char **names);

/* Emits the call with the member values found[SERVE_N_MEMBERS]. False if they are not a call. */
bool serve_tools_call_members(serve_tools *t, const assay_text *found, const serve_tools_members *members);

/* Emits the call that object, a JSON text, describes. False if it is not a call. */
bool serve_tools_call_object(serve_tools *t, assay_text object, const serve_tools_members *members);

#endif
