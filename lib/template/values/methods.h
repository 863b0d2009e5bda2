/* The methods of values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_METHODS_H
#define TEMPLATE_VALUES_METHODS_H

#include "template/values/method_row.h"

/* The method of an object, bound to it; undefined if it has none of that name, or if it would change the
 * object. A method that Python has and this interpreter does not is an error. */
tpl_value tpl_method(tpl *t, tpl_value object, assay_text name);

/* Whether strings have a method of that name in Python, which this interpreter refuses. */
bool tpl_is_unsupported_method(assay_text name);

/* Calls a method that tpl_method returned. access: for str.format and str.format_map; NULL for other methods.
 */
tpl_value tpl_method_call(tpl *t, const tpl_function *method, const tpl_arguments *args,
                          const tpl_access *access);

/* real, imag, numerator and denominator of a number; undefined for other names. */
tpl_value tpl_number_attribute(tpl *t, tpl_value v, assay_text name);

/* The keys, the values or the pairs of a dict, in a list of this kind. */
tpl_value tpl_dict_view(tpl *t, tpl_value dict, tpl_list_kind kind);

#endif
