/* Filters: `value|name(arguments)`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_FILTERS_H
#define TEMPLATE_FILTERS_FILTERS_H

#include "template/values/arguments.h"

/* A filter applied to a value; an unknown filter is an error. */
tpl_value tpl_filter(tpl *t, assay_text name, tpl_value value, const tpl_arguments *args);

/* Whether this interpreter, and whether Jinja has a filter of that name. */
bool tpl_has_filter(assay_text name);
bool tpl_is_filter(assay_text name);

/* Whether a filter looks up filters and tests by name, so that jinja2 does not apply it when it compiles. */
bool tpl_filter_has_context(assay_text name);

#endif
