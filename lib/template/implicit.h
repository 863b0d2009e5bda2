/* The implicit names of macros: caller, varargs and kwargs; and of templates: self.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_IMPLICIT_H
#define TEMPLATE_IMPLICIT_H

#include "template/node.h"

/* Fills in uses_caller, uses_varargs and uses_kwargs of a macro, or of a block that is called as one: which
 * of the names its body reads before it assigns them, in macros and calls within it as well (find_undeclared
 * of jinja2/compiler.py). A parameter `caller` that the body reads needs a default. */
void tpl_find_implicit(tpl *t, tpl_node *macro);

/* Fills in uses_self of a template in the same way. */
void tpl_find_self(tpl *t, tpl_node *root);

#endif
