/* One measurement, in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_MEASURE_H
#define CONFORMANCE_BENCH_MEASURE_H

#include <assay/kernel.h>

#include <stddef.h>
#include <stdint.h>

#include "conformance/judge/verdict.h"

#define CONF_BENCH_FIRST_PROMPT 16 /* tokens of the prompt behind which the first token is waited for */

typedef enum conf_bench_kind {
    CONF_BENCH_FIRST,   /* from the start of a process to its first token */
    CONF_BENCH_PREFILL, /* of an open model */
    CONF_BENCH_DECODE
} conf_bench_kind;

/* What is measured. n_tokens: the length of each prompt; decode follows it. */
typedef struct conf_bench_point {
    conf_bench_kind kind;
    size_t n_tokens, n_samples;
} conf_bench_point;

/* One measurement. Plain data: it crosses from the process that measures.
 * n_steps: of decode, after one that is not timed; at most as many as were asked for; of the others 1.
 * last:    prompts went through prefill_last, whose logits are of their last tokens alone.
 * peak_bytes: the most memory that the process had, without the logits that the harness holds. */
typedef struct conf_bench_time {
    double seconds;
    size_t n_steps;
    size_t peak_bytes;
    bool last;
} conf_bench_time;

/* What the child that measures is asked for. */
typedef struct conf_bench_request {
    const char *engine;  /* path of the module */
    assay_dtype compute; /* asked of it */
    const char *kernels; /* path of a library that it is given; or NULL */
    const char *const *allow_unknown;
    const char *dir;
    conf_bench_point point;
    size_t n_steps, n_ids;
    uint64_t seed; /* of the token ids */
    double asked;  /* when its process was asked for, on conf_clock */
    conf_bench_time *out;
} conf_bench_request;

/* Measures once; the task of a contained process. What the engine refuses as unsupported is skipped, another
 * error is a failure, and so are logits that it leaves unwritten. */
void conf_bench_measure(const void *request, conf_verdict *v);

/* "first token", "prefill", "decode". */
const char *conf_bench_kind_name(conf_bench_kind kind);

#endif
