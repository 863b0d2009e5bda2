/* Parses a template: data, output and statements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_PARSE_H
#define TEMPLATE_PARSE_H

#include "template/node.h"

/* A node whose `body` has the statements, in the memory of t. NULL after an error, such as a source that is
 * not UTF-8 or has more than 4 MiB. */
const tpl_node *tpl_parse(tpl *t, assay_text source);

#endif
