/* The global strftime_now.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_STRFTIME_H
#define TEMPLATE_VALUES_STRFTIME_H

#include "template/values/value.h"

/* strftime_now(format) at t->now, in the C locale. */
tpl_value tpl_format_time(tpl *t, assay_text format);

#endif
