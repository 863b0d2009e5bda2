/* Runs the statements of a template.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_RUN_H
#define TEMPLATE_RUN_H

#include "template/node.h"

/* The output of a template (tpl_parse) with the variables of a dict. */
assay_text tpl_run(tpl *t, const tpl_node *root, tpl_value variables);

#endif
