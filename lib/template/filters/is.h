/* Tests: `value is name(arguments)`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_IS_H
#define TEMPLATE_FILTERS_IS_H

#include "template/values/arguments.h"

/* Whether value is what the test says; an unknown test is an error. */
bool tpl_is(tpl *t, assay_text name, tpl_value value, const tpl_arguments *args);

/* Whether there is a test, or a filter, of that name in Jinja. */
bool tpl_is_test(assay_text name);

#endif
