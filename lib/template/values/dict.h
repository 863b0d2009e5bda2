/* Dicts, and the equality and the order of values, as Python has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_DICT_H
#define TEMPLATE_VALUES_DICT_H

#include "template/values/value.h"

tpl_value tpl_dict_new(tpl *t);

/* Sets a member of a dict or namespace, which may be undefined after an error. */
void tpl_dict_set(tpl *t, tpl_value dict, tpl_value key, tpl_value value);

/* NULL: the dict has no such key, or the key is not hashable, which is an error if `strict`. */
const tpl_value *tpl_dict_find(tpl *t, tpl_value dict, tpl_value key, bool strict);
const tpl_value *tpl_dict_find_text(tpl *t, tpl_value dict, assay_text key);

bool tpl_equals(tpl *t, tpl_value a, tpl_value b);

/* -1, 0 or 1, and 2 if a NaN is compared, or sets of which neither is a part of the other; values without an
 * order are an error, with the operator's name in the message. */
int tpl_compare(tpl *t, tpl_value a, tpl_value b, const char *what);

#endif
