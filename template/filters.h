/* Filters: `value|name(arguments)`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_H
#define TEMPLATE_FILTERS_H

#include "template/arguments.h"

/* A filter applied to a value; an unknown filter is an error. */
tpl_value tpl_filter(tpl *t, assay_text name, tpl_value value, const tpl_arguments *args);

/* Whether Jinja has a filter of that name. */
bool tpl_is_filter(assay_text name);

#endif
