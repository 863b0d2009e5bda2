/* Makes a case list its rows of prefill.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_LIST_ROWS_H
#define CONFORMANCE_TESTS_LIST_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Reduces the prefill arrays of a valid case to these rows, in this order, and adds /expect/rows.
 * rows: [n, 2], (sample, position). */
void list_rows(const char *path, const int32_t (*rows)[2], size_t n);

#endif
