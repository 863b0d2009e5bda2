/* Fields of str.format: a value in the form that a specification asks for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_FIELD_H
#define TEMPLATE_VALUES_FIELD_H

#include "template/values/strings.h"

/* Appends format(v, specification): [[fill]align][sign][#][0][width][,|_][.precision][type] of a string, a
 * bool or a number, and str(v) if it is empty. What Python raises is an error; what it formats and this does
 * not is refused by name: the types c and n, a precision of a float without a type, # of a float, zeros with
 * separators, nested fields. */
void tpl_add_field(tpl_builder *b, tpl_value v, assay_text specification);

#endif
