/* Parses the arguments of calls, filters and tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_PARSE_ARGUMENTS_H
#define TEMPLATE_PARSE_ARGUMENTS_H

#include "template/parser.h"

/* Parses one expression; with_choice: also "a if b else c". */
typedef const tpl_node *tpl_parse_expression_fn(tpl_parser *p, bool with_choice);

/* Adds what stands between parentheses: expressions, then name=value and *elements in any order, then
 * **members. parse: tpl_parse_expression, which contains arguments itself. */
void tpl_parse_arguments(tpl_parser *p, tpl_parse_expression_fn *parse, tpl_nodes *out);

/* Whether an argument is passed by this name. */
bool tpl_is_passed(const tpl_nodes *arguments, assay_text name);

#endif
