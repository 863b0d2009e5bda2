/* The functions that every template has: range, dict, namespace, raise_exception, strftime_now.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_GLOBALS_H
#define TEMPLATE_VALUES_GLOBALS_H

#include "template/values/arguments.h"

/* The function of that name; undefined if there is none. One that Jinja has and this interpreter does not is
 * an error. */
tpl_value tpl_global(tpl *t, assay_text name);

tpl_value tpl_global_call(tpl *t, const tpl_function *function, const tpl_arguments *args);

/* Whether Jinja has a global of that name that this interpreter refuses. */
bool tpl_is_unsupported_global(assay_text name);

#endif
