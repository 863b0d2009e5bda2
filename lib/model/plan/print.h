/* A plan as text, for people.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_PRINT_H
#define MODEL_PLAN_PRINT_H

#include <stdio.h>

#include "model/plan/plan.h"

/* Writes the whole plan for a person to compare with a model card. tokens: for the texts of ids, or NULL. */
void plan_print(const plan *p, const tokenizer *tokens, FILE *out);

#endif
