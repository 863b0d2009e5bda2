/* Calls that are written as tags: <function=NAME>, <parameter=KEY>VALUE</parameter>, …, </function>.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_FUNCTION_H
#define DIALOGUE_TOOLS_FUNCTION_H

#include "dialogue/tools/state.h"
#include "dialogue/values/arguments.h"

typedef enum serve_function_style {
    SERVE_FUNCTION_TRIMMED, /* hermes: a value is trimmed */
    SERVE_FUNCTION_FRAMED,  /* qwen: one newline at each end of a value is removed; the body may be JSON */
    SERVE_FUNCTION_PLAIN,  /* nemotron: values as for hermes, but Python literals are strings; the body may be
                              any text */
    SERVE_FUNCTION_STRINGS /* auto: values as for hermes, but all are strings */
} serve_function_style;

/* The offset of the '>' after NAME in text, which begins with <function=. SERVE_NOWHERE if there is no '>',
 * or NAME is empty. */
size_t serve_function_name_end(assay_text text);

/* Continues from scan->seen and searches for </function>, white space, </tool_call>. On success *n is the
 * offset after them. Uses scan->mark[2]. */
bool serve_function_find_tagged_end(serve_tools_scan *scan, assay_text text, size_t *n);

/* Emits the call of a block that begins with <function= and has </function> at offset `close`. False, without
 * a call, if NAME is white space, or if the style is SERVE_FUNCTION_PLAIN and the body is white space. */
bool serve_function_call(serve_tools *t, assay_text block, size_t close, serve_function_style style);

/* Adds the parameters between a function's tags to out. A failed allocation shows in out->text.failed. */
void serve_function_parameters(assay_text body, serve_function_style style, serve_arguments *out);

#endif
