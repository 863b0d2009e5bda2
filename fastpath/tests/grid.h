/* All bundled checkpoints, and texts, for tests of every one of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_GRID_H
#define FASTPATH_TESTS_GRID_H

#include "fastpath/model.h"

/* Finds the checkpoints. Returns their number; grid_free frees the list. */
int grid_find(void);
void grid_free(void);

/* The directory of a checkpoint; lives until grid_free. */
const char *grid_dir(int index);

/* Opens a checkpoint so that even the smallest products are split among the workers. */
fp_model *grid_open(int index, assay_dtype compute, size_t n_workers);

/* Token pos of text number `text`; none of those that form blocks, which a step may not divide. */
int32_t grid_token(const plan *p, size_t text, size_t pos);

/* [n], every byte 0xff: NaN; to be freed. */
float *grid_blank(size_t n);

#endif
