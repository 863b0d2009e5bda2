/* Variables that a template hides from its blocks.
 *
 * In jinja2 every block (the template, the body of a loop, its `else`, a macro, a call, `set`, `filter`,
 * `with` and `generation`) has variables of its own: the names that it assigns. One that it assigns before it
 * reads it, outside of blocks within it, is undefined until then, also for the blocks within it, unless a
 * block around it uses the name as well, whose variable it then begins with (jinja2/idtracking.py). Without
 * such an analysis, a block within would find the caller's variable.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_HIDDEN_H
#define TEMPLATE_HIDDEN_H

#include "template/node.h"

/* Fills in `hidden` of every block of a template that was just parsed. */
void tpl_find_hidden(tpl *t, const tpl_node *root);

#endif
