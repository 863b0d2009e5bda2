/* A tower as text, for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_PRINT_TOWER_H
#define MODEL_PLAN_PRINT_TOWER_H

#include <stdio.h>

#include "model/plan/plan.h"

/* Writes a tower, which is present. Layers that follow each other and are alike share a line. */
void plan_print_tower(const plan_tower *t, FILE *out);

#endif
