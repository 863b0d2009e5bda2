/* str.format: {}, {0}, {name} and {name.attribute[key]}, each with a conversion (!r) and a specification
 * (field.h), whose own fields
 * are replaced first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_BRACES_H
#define TEMPLATE_VALUES_BRACES_H

#include "template/values/method_row.h"

/* format.format(…). A safe format escapes the texts of its values, and is safe itself. */
tpl_value tpl_format_braces(tpl *t, tpl_value format, const tpl_arguments *args, const tpl_access *access);

#endif
