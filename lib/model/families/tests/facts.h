/* What a published class makes of a config, as scripts/record/configs writes it, compared with a plan.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_TESTS_FACTS_H
#define MODEL_FAMILIES_TESTS_FACTS_H

#include <json-c/json.h>

#include "model/plan/plan.h"

/* Fails the test unless the plan has the facts, an object with the members head, epsilon, activation, ropes,
 * layers and, of a model with a tower, tower: ties, epsilons, activations, inverse frequencies, head sizes,
 * windows, and the rope of each layer. label: of the message. */
void facts_expect(const plan *p, json_object *facts, const char *label);

#endif
