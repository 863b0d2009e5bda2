/* The order of a matrix's rows and columns: whether another one explains its values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_ORDER_H
#define CONFORMANCE_WEIGHTS_ORDER_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers [rows, cols] of an original and of a stored matrix, borrowed. */
typedef struct conf_sample {
    const double *x, *y;
    size_t rows, cols;
} conf_sample;

/* Whether y is x with its rows in another order, its columns, or rows and columns exchanged; what it is goes
 * to text, of size bytes. Rows are compared by the cosine of their angle: 24 of them, evenly spread. */
bool conf_order_differs(const conf_sample *s, char *text, size_t size);

#endif
