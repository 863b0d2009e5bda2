/* Limits of this machine: how fast it reads memory, and how fast it multiplies and adds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_MACHINE_H
#define CONFORMANCE_BENCH_MACHINE_H

#include <assay/status.h>

#include <stddef.h>

/* Plain data: it is passed between processes. */
typedef struct conf_machine {
    double read_one, read_all; /* bytes per second, on one thread and on all */
    double fma_one, fma_all;   /* float32 operations per second; a multiply-add counts as two */
    double bf16_one, bf16_all; /* of bfloat16, summed in float32; without such an instruction as fma */
    double i8_one, i8_all;     /* of bytes, summed in integers; likewise */
} conf_machine;

/* Buffer size for measuring reads: 4 times the last-level cache, at least 256 MiB, at most a quarter
 * of the memory; a multiple of 1 MiB. last_cache, memory: bytes; 0: unknown. */
size_t conf_machine_read_bytes(size_t last_cache, size_t memory);
/* The buffer size for this machine. */
size_t conf_machine_read_bytes_here(void);

/* Measures on n_threads threads; each number is the best of a few trials. Takes about a second
 * for a GiB. Fails with ASSAY_ENOMEM. */
assay_status conf_machine_measure(size_t n_threads, size_t read_bytes, conf_machine *out, assay_error *err);

/* The larger value of each member. */
conf_machine conf_machine_best(const conf_machine *a, const conf_machine *b);

#endif
