/* Variables that a template hides from its blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_HIDDEN_H
#define TEMPLATE_HIDDEN_H

#include "template/node.h"

/* Sets the names that the template assigns, outside of any block, before it reads them to undefined in the
 * dict `vars`: jinja2 makes them local to the template, so that a block before the assignment does not see
 * the caller's variable (jinja2/idtracking.py, VAR_LOAD_UNDEFINED). */
void tpl_hide_names(tpl *t, const tpl_node *root, tpl_value vars);

#endif
