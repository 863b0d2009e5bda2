/* The report on parsers for programs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_JSON_H
#define CONFORMANCE_BENCH_SERVING_JSON_H

#include "conformance/bench/serving.h"

/* One JSON object:
 *   schema     "assay-bench-serving/1"
 *   processor, seed, repeat
 *   results    an array, parser by parser, and of each engine by engine:
 *     measure            "reasoning" or "tools"
 *     parser, engine     by name; the engine as the user names it
 *     bytes, deltas      of all replies
 *     outcome, class, reason   as in assay-results/1
 *     seconds, limit_seconds   arrays, a member for each repetition
 *     best, median       bytes in a second; null where there is none, as the next three
 *     limit, fraction    what best is held against, and best / limit
 *     ratio              best, to that of the first engine
 * Fails with ASSAY_ENOMEM. */
assay_status conf_bench_serving_print_json(const conf_bench_serving *bench, FILE *out, assay_error *err);

#endif
