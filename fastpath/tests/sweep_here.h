/* Runs the sweep in the calling process, for kernels that are in no library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_SWEEP_HERE_H
#define FASTPATH_TESTS_SWEEP_HERE_H

#include "conformance/sweep/list.h"

/* Sweeps the table's operations named in words (NULL-terminated; NULL: all), on numbers from seed.
 * Prints a line of TAP for each, with `set` as the origin, and counts them. Returns the number of
 * failures. A kernel that crashes ends the program. */
size_t sweep_here(const assay_kernels *kernels, const char *set, const char *const *words, uint64_t seed,
                  size_t *n_points);

/* The same of one case of an operation: numbers, n_dims sizes. */
size_t sweep_here_case(const assay_kernels *kernels, const char *set, const char *name, uint64_t seed,
                       sweep_numbers numbers, const size_t *shape, size_t *n_points);

#endif
