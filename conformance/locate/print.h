/* Prints the result of a walk.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_PRINT_H
#define CONFORMANCE_LOCATE_PRINT_H

#include "conformance/locate/location.h"

/* Prints the table of a walk, then where and how it diverges. title: a line above the table, or NULL.
 * Returns whether a tensor exceeds its bound. */
bool conf_walk_print(const conf_context *context, const conf_walk *walk, const char *title);

/* Prints which member of its table the engine lacks for a closer location; nothing if it lacks none. */
void conf_walk_print_needs(FILE *out, const conf_walk *walk);

/* The first row that exceeds its bound; NULL if there is none. */
const conf_walk_row *conf_walk_first(const conf_walk *walk);

#endif
