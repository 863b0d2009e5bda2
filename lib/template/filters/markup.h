/* Filters that make HTML, URLs and text for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_MARKUP_H
#define TEMPLATE_FILTERS_MARKUP_H

#include "template/filters/filter_row.h"

/* Ended by a row without a name. */
extern const tpl_filter_row tpl_markup_filters[];

#endif
