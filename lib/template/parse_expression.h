/* Parses expressions, with the precedences of Jinja 3.1 (jinja2/parser.py).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_PARSE_EXPRESSION_H
#define TEMPLATE_PARSE_EXPRESSION_H

#include "template/parser.h"

/* All return a node that is not to be used after an error. */
const tpl_node *tpl_parse_expression(tpl_parser *p, bool with_choice);

/* An expression, or several with commas between them, which are a tuple. */
const tpl_node *tpl_parse_tuple(tpl_parser *p, bool with_choice);

/* A target of an assignment: a name, a tuple of names or, with_member, a member of a namespace. */
const tpl_node *tpl_parse_target(tpl_parser *p, bool with_member);

/* Takes the name of a macro or of a parameter, which is no constant (none, true, false). what: the name is
 * expected, in words. */
assay_text tpl_parse_new_name(tpl_parser *p, const char *what);

/* A filter without its input, and those that follow it. */
const tpl_node *tpl_parse_filters(tpl_parser *p, const tpl_node *input, bool inline_start);

#endif
