/* Filters of texts and numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_SCALAR_H
#define TEMPLATE_FILTERS_SCALAR_H

#include "template/filters/filter_row.h"

/* Ended by a row without a name. */
extern const tpl_filter_row tpl_scalar_filters[];

#endif
