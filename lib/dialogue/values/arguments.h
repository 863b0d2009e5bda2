/* Collects the arguments of a call by name in one JSON object. The last value of a duplicate name is used, as
 * in the dictionaries of the published server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_VALUES_ARGUMENTS_H
#define DIALOGUE_VALUES_ARGUMENTS_H

#include "base/buffer.h"

typedef struct serve_argument {
    size_t begin, name_end, end; /* offsets of `"name"` and `: value` in serve_arguments.text */
    bool replaced;
} serve_argument;

typedef struct serve_arguments {
    buffer text; /* the caller appends each value here, as JSON, after serve_arguments_name */
    buffer json;
    bool first_counts;    /* the first value of a duplicate name is used */
    serve_argument *each; /* [n], owned */
    size_t n;
} serve_arguments;

void serve_arguments_free(serve_arguments *a);

/* Begins an argument; removes the argument that was begun last. */
void serve_arguments_name(serve_arguments *a, assay_text name);
void serve_arguments_forget(serve_arguments *a);

/* The complete object; resets a. Borrowed until a changes. Invalid if an allocation failed (text.failed,
 * json.failed). */
assay_text serve_arguments_object(serve_arguments *a);

/* The same for a call that is cut off: the object is left unclosed, unless it has no argument, and a
 * duplicate name is written twice. */
assay_text serve_arguments_begun(serve_arguments *a);

#endif
