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

/* Characters beyond ASCII as escapes, as ascii() writes them. */
assay_text tpl_ascii(tpl *t, assay_text text);

/* The shortest text that reads as the same double, as Python writes it. out: [32]. */
void tpl_print_float(char *out, double real);

/* With so many significant digits, at most TPL_FLOAT_DIGITS_MAX, and as many zeros fewer. out:
 * [TPL_FLOAT_DIGITS_MAX + 16]. */
#define TPL_FLOAT_DIGITS_MAX 300
void tpl_print_rounded(char *out, double real, int n_digits);

#endif
