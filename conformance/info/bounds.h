/* The bounds of a case: from which recorded runs they follow, and by which formula.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_BOUNDS_H
#define CONFORMANCE_INFO_BOUNDS_H

#include <json-c/json.h>
#include <stdio.h>

#include "conformance/case/case.h"

/* Prints the bounds of logits for each type that the case has a run in, and of its tensors; or, of a case
 * without logits, what is compared instead. */
void conf_info_print_bounds(FILE *out, const conf_case *c);

/* Adds the members
 *   multiple   what the unit is multiplied by
 *   largest    the largest |logit| of the truth; null without logits, like all members below
 *   floor      the least unit, in logits
 *   types      an array: {type, run, judges, noise_at, max_abs, rmse, kl}. run: the group of the case that
 * the noise is measured in; judges: whether the bound rejects logits of all zeros; noise_at: {sample, decode,
 * position, id}, the row and id with the largest error of the run, null if it has none; max_abs, rmse, kl:
 * {noise, unit, bound} float64    {relative, bound, reason}; reason: null unless the case states a bound of
 * its own tensors    an array: {name, noise, floor, bound} Returns false if it runs out of memory. */
bool conf_info_add_bounds(json_object *to, const conf_case *c);

#endif
