/* One measurement, in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_MEASURE_H
#define CONFORMANCE_BENCH_MEASURE_H

#include <assay/kernel.h>

#include <stddef.h>
#include <stdint.h>

#include "conformance/bench/pictures.h"
#include "conformance/judge/verdict.h"

#define CONF_BENCH_FIRST_PROMPT 16 /* tokens of the prompt before the first token */

typedef enum conf_bench_kind {
    CONF_BENCH_FIRST,   /* from the start of a process to its first token */
    CONF_BENCH_PREFILL, /* of an open model */
    CONF_BENCH_DECODE
} conf_bench_kind;

/* A point of measurement. n_tokens: the length of each prompt; decode follows it. pictures: of the prompt,
 * with their placeholder tokens among its tokens. */
typedef struct conf_bench_point {
    conf_bench_kind kind;
    size_t n_tokens, n_samples;
    conf_pictures pictures;
} conf_bench_point;

/* Result of one measurement. Plain data: it is passed between processes. n_steps: timed steps of
 * decode, after one that is not timed; at most as many as requested; 1 for the other kinds. Of a prompt only
 * the logits of the last token are wanted. peak_bytes: peak memory of the process, without the logits that
 * the harness holds.
 * joined_seconds: of decode of one sample, if the engine has join: the same steps of a sample that has joined
 * a session with CONF_BENCH_RESTING other samples, which have no tokens. Each step is timed in turn with that
 * of the session of one sample. 0: not measured. */
#define CONF_BENCH_RESTING 8
typedef struct conf_bench_time {
    double seconds, joined_seconds;
    size_t n_steps;
    size_t peak_bytes;
} conf_bench_time;

/* Request to the child process that measures. */
typedef struct conf_bench_request {
    const char *engine;   /* path of the module */
    conf_compute compute; /* compute type to request; CONF_COMPUTE_NONE: the engine's default */
    const char *kernels;  /* path of a kernel library for the engine; NULL: its own */
    const char *const *allow_unknown;
    const char *dir;
    conf_bench_point point;
    conf_bench_tower tower;
    size_t n_steps, n_ids;
    uint64_t seed;       /* of the token ids */
    double requested_at; /* when the process was requested, on conf_clock */
    conf_bench_time *out;
} conf_bench_request;

/* Measures once; the task of a contained process. *v is skipped if the engine returns
 * ASSAY_EUNSUPPORTED, and failed for any other error or for logits that the engine leaves unwritten. */
void conf_bench_measure(const void *request, conf_verdict *v);

/* "first token", "prefill", "decode". */
const char *conf_bench_kind_name(conf_bench_kind kind);

#endif
