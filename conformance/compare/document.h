/* A comparison for programs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_COMPARE_DOCUMENT_H
#define CONFORMANCE_COMPARE_DOCUMENT_H

#include "conformance/compare/comparison.h"

/* Writes one JSON object:
 *   schema          "assay-comparison/1"
 *   before, after   {name, finished}: the file, or "this run"; when that run ended, UTC
 *   remarks         an array of texts: what makes the runs hard to compare
 *   engines         an array: {before, after, seconds_before, seconds_after, cases}:
 *     before, after     names; null where a run does not have the engine
 *     seconds_before, seconds_after, cases   of the cases that both runs ran: sums, and how many
 *   totals          the number of each change, also "unchanged"
 *   changes         an array of all but the unchanged, ordered by case, then by engine:
 *     case, engine      as the second run names them; as the first does if the second has none
 *     change            a name of conf_change_name
 *     before, after     {outcome, class, unit, multiple, seconds} as in assay-results/1; null where a
 *                       run does not have the case
 * Fails with ASSAY_ENOMEM. */
assay_status conf_comparison_print_json(FILE *out, const conf_comparison *c, assay_error *err);

#endif
