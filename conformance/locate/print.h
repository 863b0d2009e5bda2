/* Prints the result of a walk.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_PRINT_H
#define CONFORMANCE_LOCATE_PRINT_H

#include "conformance/locate/location.h"

/* Prints the table, then the first tensor out of bounds and whether its error is made there or
 * inherited. title: a line above the table, or NULL. Returns whether a row is out of bounds. */
bool conf_walk_print(const conf_context *context, const conf_walk *walk, const char *title);

/* The first row out of bounds; NULL if there is none. */
const conf_walk_row *conf_walk_first(const conf_walk *walk);

#endif
