/* The report as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_JSON_H
#define CONFORMANCE_BENCH_JSON_H

#include "conformance/bench/bench.h"

/* Prints one JSON object:
 *   schema    "assay-bench/1"
 *   model     path; parameters, weight_bytes, multiplies (of one token, with the head, without
 *             attention): null without a plan, and the reason in note
 *   machine   processor, processors, instructions; read_bytes, of the buffer; read_one, read_all:
 *             bytes per second; fma_one, fma_all: float32 operations per second; bf16_one, bf16_all,
 *             i8_one, i8_all: of narrower types; all null if no engine passes the first-token point
 *   seed, repeat
 *   kernels   the kernel library as on the command line, or null
 *   compute   the requested type "f32", "bf16" or "int8", or null
 *   results   an array in order of points, then of engines:
 *     measure          "first token", "prefill" or "decode"
 *     engine           as on the command line
 *     prompt, batch    tokens of each sample before decode, and number of samples
 *     images           number of images of each prompt, whose placeholder tokens are among those of the
 * prompt outcome, class, reason   as in assay-results/1 seconds, steps   arrays, one element per repetition
 *     best, median     tokens per second (of the first token: 1 / seconds); null if not measured
 *     limit, bound     limit of best, and what sets it: "read" or "fma"; null if there is none
 *     fraction         best / limit, or null
 *     joined           of decode of one sample: the speed if it has joined a session of others, as a
 *                      fraction of that in a session of its own; null if not measured
 *     peak_bytes       the largest, or null
 *
 * Fails with ASSAY_ENOMEM. */
assay_status conf_bench_print_json(const conf_bench *bench, FILE *out, assay_error *err);

#endif
