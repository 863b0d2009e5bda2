/* A case as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_CASE_H
#define CONFORMANCE_INFO_CASE_H

#include <json-c/json.h>

#include "conformance/case/case.h"

/* Adds the members of a case that is not a schedule; null where it has none:
 *   kind, model, catches, source, recorder
 *   flags, unknown   arrays of texts
 *   float64          {bound, reason} if the case states a bound of its own
 *   prompts          {lengths, width}: the tokens of each sample, and how many they are padded to
 *   inputs           an array: {name, shape}, besides tokens
 *   steps            {forced, greedy}
 *   cache            {limit, sink_tokens}
 *   logits           {rows, columns, listed, largest, noises}; listed: only the rows of /expect/rows are
 *                    recorded; noises: float32, bfloat16 and int8, each {max_abs, rmse, kl} or null
 *   tensors          an array: {name, shape, noise}
 *   rope             {config, positions, axes, heads, head_dim}
 *   deltas           an array: what is added to the positions of later tokens of each sample
 *   vectors          {n, groups}; groups: an array of {name, n}
 * Returns false if it runs out of memory. */
bool conf_info_add_case(json_object *to, const conf_case *c);

#endif
