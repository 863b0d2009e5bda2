/* The columns of a stored matrix that share a scale, a zero point and a minimum.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_GROUPS_H
#define CONFORMANCE_WEIGHTS_GROUPS_H

#include <assay/stored.h>

/* Numbers the groups of a row from 0 on: group[k], of [n_in]. Returns how many there are; 1 where all columns
 * share these numbers. */
size_t conf_groups_read(const assay_stored *s, size_t row, size_t *group);

/* Whether all rows have the same groups. */
bool conf_groups_are_regular(const assay_stored *s);

/* The most columns in a row that follow each other and share a number of the field; 0: it is absent, or the
 * same for all columns. */
size_t conf_groups_width(const assay_stored *s, const assay_field *field);

#endif
