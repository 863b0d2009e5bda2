/* What this machine can do at most: how fast it reads memory, and multiplies and adds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_MACHINE_H
#define CONFORMANCE_BENCH_MACHINE_H

#include <assay/status.h>

#include <stddef.h>

/* Plain data: it crosses from the process that measures. */
typedef struct conf_machine {
    double read_one, read_all; /* bytes in a second, on one thread and on all */
    double fma_one, fma_all;   /* float32 operations in a second; a multiply-add is two */
    double bf16_one,
        bf16_all; /* the same of bfloat16, added up in float32; where no instruction does that, as of */
    double i8_one, i8_all; /* float32; and of bytes, added up in integers */
} conf_machine;

/* The processor's name, from cpuinfo (a file like /proc/cpuinfo; may be missing), else as the processor
 * itself says it, else "unknown processor". */
void conf_machine_name(const char *cpuinfo, char *out, size_t size);

/* Bytes to read for a measurement: 4 times the last cache, at least 256 MiB, but never more than a quarter of
 * the memory; a multiple of 1 MiB. last_cache, memory: bytes; 0: unknown. */
size_t conf_machine_read_bytes(size_t last_cache, size_t memory);
/* The same for this machine. */
size_t conf_machine_read_bytes_here(void);

/* Measures on n_threads threads; each number is the best of a few trials. Takes about a second
 * for a GiB. Fails with ASSAY_ENOMEM. */
assay_status conf_machine_measure(size_t n_threads, size_t read_bytes, conf_machine *out, assay_error *err);

/* The better of two, member by member. */
conf_machine conf_machine_best(const conf_machine *a, const conf_machine *b);

#endif
