/* The report on parsers as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_SERVING_JSON_H
#define CONFORMANCE_BENCH_SERVING_JSON_H

#include "conformance/bench/serving.h"

/* Prints one JSON object:
 *   schema    "assay-bench-serving/1"
 *   processor, seed, repeat
 *   results   an array in order of parsers, then of engines:
 *     measure          "reasoning" or "tools"
 *     parser, engine   names; the engine as on the command line
 *     bytes, deltas    of all replies
 *     outcome, class, reason   as in assay-results/1
 *     seconds, limit_seconds   arrays, one element per repetition
 *     best, median     bytes per second; null if not measured, as are the next three
 *     limit, fraction  limit of best, and best / limit
 *     ratio            best / best of the first engine
 * Fails with ASSAY_ENOMEM. */
assay_status conf_bench_serving_print_json(const conf_bench_serving *bench, FILE *out, assay_error *err);

#endif
