/* Filters of sequences.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_SEQUENCE_H
#define TEMPLATE_FILTERS_SEQUENCE_H

#include "template/filters/filter_row.h"

/* Ended by a row without a name. */
extern const tpl_filter_row tpl_sequence_filters[];

#endif
