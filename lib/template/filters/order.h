/* Filters that compare elements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_ORDER_H
#define TEMPLATE_FILTERS_ORDER_H

#include "template/filters/filter_row.h"

/* Ended by a row without a name. */
extern const tpl_filter_row tpl_order_filters[];

#endif
