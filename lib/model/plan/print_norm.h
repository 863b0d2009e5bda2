/* A norm as text, for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_PRINT_NORM_H
#define MODEL_PLAN_PRINT_NORM_H

#include <stdio.h>

#include "model/plan/plan.h"

/* Writes " name" and what the norm has of its own; nothing if it is absent. */
void plan_print_norm(FILE *out, const char *name, const plan_norm *norm);

#endif
