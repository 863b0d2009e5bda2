/* Dicts, and the equality and the order of values, as Python has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_DICT_H
#define TEMPLATE_VALUES_DICT_H

#include "template/values/value.h"

tpl_value tpl_dict_new(tpl *t);

/* Sets a member of a dict or namespace; a key that is not hashable is an error. Does nothing if `dict` is of
 * another kind, as the undefined value that stands for a failed tpl_dict_new. */
void tpl_dict_set(tpl *t, tpl_value dict, tpl_value key, tpl_value value);

/* The value of a key, within the dict: valid until the next tpl_dict_set. NULL: there is no such key, `dict`
 * is neither dict nor namespace, or the key is not hashable, which is an error if `strict`.
 * tpl_dict_find_text: a key that is a string; not strict. */
const tpl_value *tpl_dict_find(tpl *t, tpl_value dict, tpl_value key, bool strict);
const tpl_value *tpl_dict_find_text(tpl *t, tpl_value dict, assay_text key);

bool tpl_equals(tpl *t, tpl_value a, tpl_value b);

/* -1, 0 or 1: a is less than, equal to or greater than b; of sets, a proper subset, equal or a proper
 * superset. 2: a NaN is compared, or neither set contains the other. Values of types without an order are an
 * error, whose message begins with `what`, such as "sort". */
int tpl_compare(tpl *t, tpl_value a, tpl_value b, const char *what);

#endif
