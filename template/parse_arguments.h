/* Parses the arguments of calls, filters and tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_PARSE_ARGUMENTS_H
#define TEMPLATE_PARSE_ARGUMENTS_H

#include "template/parser.h"

/* Adds what stands between parentheses: expressions, then name=value and *elements in any order, then
 * **members. */
void tpl_parse_arguments(tpl_parser *p, tpl_nodes *out);

#endif
