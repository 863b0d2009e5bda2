/* Calls that are written between tags: <function=NAME>, <parameter=KEY>VALUE</parameter>, …, </function>.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_FUNCTION_H
#define SERVING_TOOLS_FUNCTION_H

#include "serving/tools/state.h"
#include "serving/values/arguments.h"

typedef enum serve_function_style {
    SERVE_FUNCTION_TRIMMED, /* hermes: a value without the white space around it */
    SERVE_FUNCTION_FRAMED,  /* qwen: one newline at each end of a value is not its own; a body may be JSON */
    SERVE_FUNCTION_PLAIN,   /* nemotron: values as of hermes, but not of Python; a body may be any text */
    SERVE_FUNCTION_STRINGS  /* auto: values as of hermes, but all are strings */
} serve_function_style;

/* Where NAME ends in text, which begins with <function=: at the '>'. SERVE_NOWHERE where there is none, or no
 * name. */
size_t serve_function_name_end(assay_text text);

/* Looks on from scan->seen for </function>, white space, </tool_call>: *n comes behind it. scan->mark[2] is
 * its own. */
bool serve_function_find_tagged_end(serve_tools_scan *scan, assay_text text, size_t *n);

/* Hands out the call of a block that begins with <function= and holds </function> at `close`. False where
 * NAME is white space, or a plain body is, and nothing is called. */
bool serve_function_call(serve_tools *t, assay_text block, size_t close, serve_function_style style);

/* Gathers the parameters of what stands between a function and its end. ASSAY_ENOMEM shows in
 * out->text.failed. */
void serve_function_parameters(assay_text body, serve_function_style style, serve_arguments *out);

#endif
