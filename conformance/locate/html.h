/* A walk on a page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_HTML_H
#define CONFORMANCE_LOCATE_HTML_H

#include "conformance/locate/location.h"

/* Writes the errors of a walk's tensors, as computed and of their own, as a picture, and as a table with what
 * differs. title: NULL, or which sequence it is. Nothing if nothing was compared. */
void conf_walk_html(FILE *out, const conf_walk *walk, const char *title);

#endif
