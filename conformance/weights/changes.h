/* Changes of values that a faulty conversion makes, undone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_CHANGES_H
#define CONFORMANCE_WEIGHTS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers of an original and of a stored matrix, [rows, cols], of which columns first … end - 1 count.
 * Borrowed. */
typedef struct conf_changed {
    const double *x, *y;
    size_t rows, cols, first, end;
    const size_t *group; /* [cols]: the columns that share a scale; may differ between rows, in which case
                            groups are not looked at */
} conf_changed;

enum { CONF_CHANGE_MAX = 240 };

/* Undoes change i of y, from 0 on, as far as it fits x best: the result goes to z, and what the change was to
 * fault, "" if it does not apply. False: there are no more. */
bool conf_change_undo(const conf_changed *c, size_t i, double *z, char fault[CONF_CHANGE_MAX]);

#endif
