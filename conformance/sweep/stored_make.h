/* The numbers of a stored matrix.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_STORED_MAKE_H
#define CONFORMANCE_SWEEP_STORED_MAKE_H

#include "conformance/sweep/matmul_parts.h"
#include "conformance/sweep/stored_formats.h"

/* Draws all fields of the matrix by the numbers of the case: codes of every pattern; scales that are 0,
 * subnormal or large where the numbers are large. Then p->w and p->magnitude. */
void sweep_make_stored(sweep_product *p, sweep *s, const assay_stored *w);

#endif
