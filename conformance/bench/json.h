/* The report for programs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_JSON_H
#define CONFORMANCE_BENCH_JSON_H

#include "conformance/bench/bench.h"

/* One JSON object:
 *   schema     "assay-bench/1"
 *   model      path; parameters, weight_bytes, multiplies (of one token, head included, attention not): null
 *              without a plan, and why then in note
 *   machine    processor, processors, instructions; read_bytes, of the buffer; read_one, read_all: bytes in a
 *              second; fma_one, fma_all: float32 operations in a second; bf16_one, bf16_all, i8_one,
 *              i8_all: of narrower types
 *   seed, repeat
 *   kernels    the library that engines were given, as the user calls it; else null
 *   compute    "f32", "bf16" or "int8" where engines were asked to compute in it; else null
 *   results    an array, point by point, and of each engine by engine:
 *     measure            "first token", "prefill" or "decode"
 *     engine             as the user names it
 *     prompt, batch      tokens of each sample before decode, and samples
 *     outcome, class, reason   as in assay-results/1
 *     seconds, steps     arrays, a member for each repetition
 *     best, median       tokens in a second (of the first token: 1 / seconds); null where there is none
 *     limit, bound       of the best: the speed that it is held against, and by what: "read" or "fma"; null
 *     fraction           best / limit; null
 *     peak_bytes         the largest; null
 *     logits             of a prompt: "last", of its last token alone, by prefill_last, as published systems
 *                        do; "all" where the engine has only prefill; null without a measurement
 * Fails with ASSAY_ENOMEM. */
assay_status conf_bench_print_json(const conf_bench *bench, FILE *out, assay_error *err);

#endif
