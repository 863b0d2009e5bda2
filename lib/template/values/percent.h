/* The operator % of strings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_PERCENT_H
#define TEMPLATE_VALUES_PERCENT_H

#include "template/values/value.h"

/* format % values, with a tuple, a dict for %(name)s, or one value. A safe format escapes the texts of its
 * values, and is safe itself. */
tpl_value tpl_format_percent(tpl *t, tpl_value format, tpl_value values);

#endif
