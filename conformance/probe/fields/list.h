/* The tables of fields and members, printed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_LIST_H
#define CONFORMANCE_PROBE_FIELDS_LIST_H

#include <stdio.h>

/* Prints all rows as tables in Markdown: docs/fields.md is this text. */
void probe_fields_print(FILE *out);

#endif
