/* A tower evaluated in double, in the order of the input and without any blocks, to compare with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_NAIVE_TOWER_H
#define FASTPATH_TESTS_NAIVE_TOWER_H

#include "fastpath/tests/towers.h"

/* Features of frame `frame` of a medium of towers_medium with this seed, t frames of h x w patches. out: [1 +
 * n_deepstack, tokens of a frame, text_hidden]. */
void naive_tower_run(const tower_shape *shape, const plan_tower *t, size_t frame, size_t h, size_t w,
                     unsigned seed, double *out);

#endif
