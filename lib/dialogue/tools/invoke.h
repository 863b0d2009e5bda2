/* Calls that are written as elements with attributes: <invoke name="NAME"> with <parameter
 * name="KEY">VALUE</parameter> in it, where each format names the elements in its own way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_INVOKE_H
#define DIALOGUE_TOOLS_INVOKE_H

#include "dialogue/tools/state.h"

typedef struct serve_invoke_style {
    const char *invoke, *invoke_end;       /* "<invoke", "</invoke>" */
    const char *parameter, *parameter_end; /* "<parameter", "</parameter>" */
    bool typed;    /* a parameter has string="true" (a string) or string="false" (JSON) after its name */
    bool unclosed; /* the last call may lack its end tag */
    bool empty;    /* a call without parameters is a call */
} serve_invoke_style;

/* Emits the calls in text, in order. If not style->typed, a value that is JSON is trimmed and copied, and any
 * other value becomes a string. */
void serve_invoke_calls(serve_tools *t, assay_text text, const serve_invoke_style *style);

/* Continues from t->scan and searches for the end of the block that text begins with. *n: the offset after
 * the end, or text.n if there is none. */
bool serve_invoke_find_end(serve_tools *t, assay_text text, const char *end, size_t *n);

#endif
