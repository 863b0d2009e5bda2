/* Rounding as the filter round does it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_ROUND_H
#define TEMPLATE_FILTERS_ROUND_H

#include "template/values/value.h"

/* Python's round(v, precision): halves to even, exactly. precision none: to an integer. */
tpl_value tpl_round(tpl *t, tpl_value v, tpl_value precision);

/* math.ceil or math.floor of v * 10**precision, divided by 10**precision. */
tpl_value tpl_round_up_or_down(tpl *t, tpl_value v, tpl_value precision, bool up);

#endif
