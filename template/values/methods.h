/* The methods of strings, lists and dicts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_METHODS_H
#define TEMPLATE_VALUES_METHODS_H

#include "template/values/arguments.h"

/* The method of an object, bound to it; undefined if it has none of that name. A method that Python has and
 * this interpreter does not, or that would change the object, is an error. */
tpl_value tpl_method(tpl *t, tpl_value object, assay_text name);

/* Whether strings have a method of that name in Python, which this interpreter refuses. */
bool tpl_is_unsupported_method(assay_text name);

/* Calls a method that tpl_method returned. */
tpl_value tpl_method_call(tpl *t, const tpl_function *method, const tpl_arguments *args);

/* The keys, the values or the pairs of a dict, in a list of this kind. */
tpl_value tpl_dict_view(tpl *t, tpl_value dict, tpl_list_kind kind);

#endif
