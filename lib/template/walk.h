/* Visiting every node of a template.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_WALK_H
#define TEMPLATE_WALK_H

#include "template/node.h"

/* Receives a node. is_conditional: it stands in an `if`, and in no other block within that. */
typedef void tpl_visit_fn(tpl *t, void *context, const tpl_node *node, bool is_conditional);

/* Visits the nodes of a template that was parsed, each before the nodes within it. */
void tpl_walk(tpl *t, const tpl_node *root, tpl_visit_fn *visit, void *context);

/* Fails for a filter or a test that Jinja does not have, unless it stands in an `if`, where Jinja looks for
 * it when it is applied. */
void tpl_check_names(tpl *t, const tpl_node *root);

#endif
