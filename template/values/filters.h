/* Filters: `value|name(arguments)`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_FILTERS_H
#define TEMPLATE_VALUES_FILTERS_H

#include "template/values/arguments.h"

/* A filter applied to a value; an unknown filter is an error. */
tpl_value tpl_filter(tpl *t, assay_text name, tpl_value value, const tpl_arguments *args);

/* Whether this interpreter, and whether Jinja has a filter of that name. */
bool tpl_has_filter(assay_text name);
bool tpl_is_filter(assay_text name);

#endif
