/* Operators of values.
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

#endif
