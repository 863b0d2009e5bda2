/* Tool calls that are written as JSON objects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_OBJECT_H
#define SERVING_TOOLS_OBJECT_H

#include "serving/tools/state.h"

/* How a call is written as an object: its name is `name`. */
typedef struct serve_tools_members {
    const char *other_name;   /* where `name` is no text, or empty; may be NULL */
    const char *arguments[2]; /* what counts first; the second may be NULL */
    bool required;            /* without arguments it is no call */
    bool verbatim;            /* arguments that are a string stay one; else the string's text is their JSON */
    bool trimmed;             /* the name, without white space around it */
} serve_tools_members;

/* The members that are looked for, under these names. */
enum { SERVE_NAME, SERVE_OTHER_NAME, SERVE_ARGUMENTS, SERVE_OTHER_ARGUMENTS, SERVE_N_MEMBERS };
void serve_tools_member_names(const serve_tools_members *members, const char **names);

/* Hands out the call whose members have the values found[SERVE_N_MEMBERS]. False where they are none. */
bool serve_tools_call_members(serve_tools *t, const assay_text *found, const serve_tools_members *members);

/* Hands out the call that object, JSON text, is. False where it is none. */
bool serve_tools_call_object(serve_tools *t, assay_text object, const serve_tools_members *members);

#endif
