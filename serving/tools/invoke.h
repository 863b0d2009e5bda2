/* Calls that are written as elements with attributes: <invoke name="NAME"> and in it
 * <parameter name="KEY">VALUE</parameter>, under the names of a format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_INVOKE_H
#define SERVING_TOOLS_INVOKE_H

#include "serving/tools/state.h"

typedef struct serve_invoke_style {
    const char *invoke, *invoke_end;       /* "<invoke", "</invoke>" */
    const char *parameter, *parameter_end; /* "<parameter", "</parameter>" */
    bool
        typed; /* a parameter has string="true" or "false" behind its name: whether it is a string, or JSON */
    bool unclosed; /* the last call may lack its end */
    bool empty;    /* a call may have no parameters */
} serve_invoke_style;

/* Hands out the calls in text, one behind the other. Without `typed`, values that are JSON are that, without
 * the white space around it, and others strings. */
void serve_invoke_calls(serve_tools *t, assay_text text, const serve_invoke_style *style);

/* Looks on, from t->scan, for the end of the block that text begins with: *n comes behind it, or is text.n.
 */
bool serve_invoke_find_end(serve_tools *t, assay_text text, const char *end, size_t *n);

#endif
