/* Operators, attributes and elements of values, as Jinja's sandbox gives them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_OPERATE_H
#define TEMPLATE_VALUES_OPERATE_H

#include "template/values/value.h"

/* a `operation` b, for arithmetic operators. */
tpl_value tpl_binary(tpl *t, assay_text operation, tpl_value a, tpl_value b);
tpl_value tpl_negate(tpl *t, tpl_value v, bool negative);

/* Whether `a operation b` holds, for == != < <= > >= in "not in". */
bool tpl_holds(tpl *t, assay_text operation, tpl_value a, tpl_value b);

/* object.name: a method first, then a member; object[key]: a member first, then a method. Undefined if there
 * is neither. */
tpl_value tpl_attribute(tpl *t, tpl_value object, assay_text name);
tpl_value tpl_item(tpl *t, tpl_value object, tpl_value key);

/* object[from:to:step]; each may be TPL_NONE. */
tpl_value tpl_slice(tpl *t, tpl_value object, tpl_value from, tpl_value to, tpl_value step);

/* The member of object that "a.b.0" names, as attribute arguments of filters do. The default is used where a
 * member is undefined; TPL_MISSING: none. */
tpl_value tpl_path(tpl *t, tpl_value object, tpl_value path, tpl_value missing);

#endif
