/* Checks that the parts of a convolutional tower fit together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_SHAPES_CONV_H
#define MODEL_PLAN_SHAPES_CONV_H

#include "model/plan/checker.h"

/* Every matrix and vector of the blocks and of the fusion has the shape that it is applied to, and the rows
 * of the fusion are tower.hidden wide. The first failure stays in c. */
void plan_check_conv(checker *c, const plan_tower *t);

#endif
