/* Macros: their values, and how arguments are bound to their parameters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_MACRO_H
#define TEMPLATE_MACRO_H

#include "template/eval.h"

/* A macro of a node in the current scope; that of a call block has no name. */
tpl_value tpl_macro_new(tpl_eval *e, const tpl_node *node, bool has_name);

/* Sets the parameters and the implicit names of a macro in the current scope. What is missing, unknown or
 * passed twice is recorded. */
void tpl_macro_bind(tpl_eval *e, const tpl_node *macro, const tpl_arguments *args);

#endif
