/* The arguments of a call, gathered name by name into one JSON object. A name that comes again replaces its
 * value, as in the dictionaries of the published server.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_VALUES_ARGUMENTS_H
#define SERVING_VALUES_ARGUMENTS_H

#include "serving/text/bytes.h"

typedef struct serve_argument {
    size_t begin, name_end, end; /* `"name"` and `: value` in serve_arguments.text */
    bool replaced;
} serve_argument;

typedef struct serve_arguments {
    serve_bytes text; /* values are added here, as JSON, after serve_arguments_name */
    serve_bytes json;
    bool first_counts;    /* a name that comes again is dropped, and replaces nothing */
    serve_argument *each; /* [n], owned */
    size_t n;
    size_t room;
} serve_arguments;

void serve_arguments_free(serve_arguments *a);

/* Begins an argument, or takes the one that was begun last away again. */
void serve_arguments_name(serve_arguments *a, assay_text name);
void serve_arguments_forget(serve_arguments *a);

/* The object; then a is as new. Borrowed until a changes. Where memory ran out (text.failed, json.failed) it
 * means nothing. */
assay_text serve_arguments_object(serve_arguments *a);

/* The same of a call that is cut off: its object is left open, but for one without any argument, and a name
 * that comes again stands twice. */
assay_text serve_arguments_begun(serve_arguments *a);

#endif
