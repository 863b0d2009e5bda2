/* A convolutional tower as text, for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_PRINT_CONV_H
#define MODEL_PLAN_PRINT_CONV_H

#include <stdio.h>

#include "model/plan/tower.h"

/* Writes the blocks, equal neighbours together, and the fusion. */
void plan_print_conv(const plan_tower *t, FILE *out);

#endif
