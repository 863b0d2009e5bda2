/* The sweep in the process that asks for it, without loading anything: for kernels that no library has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_SWEEP_HERE_H
#define FASTPATH_TESTS_SWEEP_HERE_H

#include "conformance/sweep/list.h"

/* Sweeps what the table gives of the operations that words, NULL at the end, call (NULL itself: all), on
 * numbers from seed; prints a line of TAP for each, in which `set` says whose they are, and counts them.
 * How many failed. A kernel that dies ends the program. */
size_t sweep_here(const assay_kernels *kernels, const char *set, const char *const *words, uint64_t seed,
                  size_t *n_points);

/* The same of one case of an operation: numbers, n_dims sizes. */
size_t sweep_here_case(const assay_kernels *kernels, const char *set, const char *name, uint64_t seed,
                       sweep_numbers numbers, const size_t *shape, size_t *n_points);

#endif
