/* Formatting: the operator % of strings, str.format, and strftime.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_FORMAT_H
#define TEMPLATE_VALUES_FORMAT_H

#include "template/values/arguments.h"

/* format % values, with a tuple, a dict for %(name)s, or one value. */
tpl_value tpl_format_percent(tpl *t, tpl_value format, tpl_value values);

/* format.format(…): {}, {0} and {name}, each with a specification after a colon (field.h), without a
 * conversion. */
tpl_value tpl_format_braces(tpl *t, assay_text format, const tpl_arguments *args);

/* strftime_now(format) at t->now, in the C locale. */
tpl_value tpl_format_time(tpl *t, assay_text format);

#endif
