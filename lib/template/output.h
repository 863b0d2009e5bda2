/* The text that statements write.
 *
 * jinja2 joins the pieces where the template, macro or block that writes them ends: a piece that is not a
 * text fails there, after the statements that follow it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_OUTPUT_H
#define TEMPLATE_OUTPUT_H

#include "template/values/strings.h"

typedef struct tpl_output {
    tpl_builder text;  /* begins as {.t = …} */
    const char *block; /* the kind of the block whose result is not a text; NULL: every piece is one */
    const char *type;  /* of that result */
    unsigned line;
} tpl_output;

/* Appends the result of a block, which jinja2 does not turn into a text. */
void tpl_output_add(tpl_output *out, tpl_value result, const char *block);

/* The whole text. */
tpl_value tpl_output_close(tpl_output *out);

#endif
