/* Attributes and elements of values, as Jinja's sandbox gives them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_ITEM_H
#define TEMPLATE_VALUES_ITEM_H

#include "template/values/method_row.h"

/* Whether a name is one of Python's own, as __class__ is: the sandbox has an undefined value for these. */
bool tpl_is_internal(assay_text name);

/* object.name: a method first, then a member; object[key]: a member first, then a method. Undefined if there
 * is neither. */
tpl_value tpl_attribute(tpl *t, tpl_value object, assay_text name);
tpl_value tpl_item(tpl *t, tpl_value object, tpl_value key);
extern const tpl_access tpl_item_access;

/* object[from:to:step]; each may be TPL_NONE. tpl_has_slice: whether the types are those of a slice. */
bool tpl_has_slice(tpl_value object, tpl_value from, tpl_value to, tpl_value step);
tpl_value tpl_slice(tpl *t, tpl_value object, tpl_value from, tpl_value to, tpl_value step);

/* The member of object that "a.b.0" names, as attribute arguments of filters do. The default is used where a
 * member is undefined; TPL_MISSING: none. */
tpl_value tpl_path(tpl *t, tpl_value object, tpl_value path, tpl_value missing);

#endif
