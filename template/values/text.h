/* Values as text: Python's str() and repr().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_TEXT_H
#define TEMPLATE_VALUES_TEXT_H

#include "template/values/strings.h"

/* str(v); the text of an undefined value is empty. Values whose text has an address are refused. */
assay_text tpl_str(tpl *t, tpl_value v);
void tpl_add_str(tpl_builder *b, tpl_value v);
void tpl_add_repr(tpl_builder *b, tpl_value v);

/* The shortest text that reads as the same double, as Python writes it. out: [32]. */
void tpl_print_float(char *out, double real);

#endif
