/* Instruction sets: which ones kernels are written for, which of them this processor runs, which one is to
 * be used.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ISA_ISA_H
#define FASTPATH_KERNELS_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>

#include <assay/status.h>

/* Each set stands after those that it is preferred to. */
typedef enum fp_isa {
    FP_ISA_SCALAR,     /* plain C, everywhere */
    FP_ISA_NEON,       /* Advanced SIMD of every AArch64 */
    FP_ISA_AVX2,       /* with FMA and F16C */
    FP_ISA_AVX512,     /* F, BW, DQ and VL */
    FP_ISA_AVX512BF16, /* the same, with BF16 and VNNI */
    FP_ISA_AMX,        /* the same, with tiles of bfloat16 and bytes */
    FP_N_ISAS
} fp_isa;

/* "scalar", "neon", "avx2", "avx512", "avx512bf16", "amx"; NULL for a value outside the enumeration. */
const char *fp_isa_name(fp_isa isa);

/* Whether this processor, and the system on it, run the set. The system is asked for what it only gives on
 * request: the tiles of AMX, which the process then has for good. */
bool fp_isa_runs_here(fp_isa isa);

/* The set to be used: the one that is called name, or the best that runs here where name is NULL or empty.
 * Fails with ASSAY_EINVAL for a name that no set has, with ASSAY_EUNSUPPORTED for a set that does not run
 * here; who is named in the message as the one who asked ("ASSAY_ISA"). */
assay_status fp_isa_choose(const char *name, const char *who, fp_isa *out, assay_error *err);

/* The first variant of a table, best first, whose set is not preferred to isa. Each variant has `size` bytes
 * and begins with its fp_isa; the last is scalar. */
const void *fp_isa_pick(const void *variants, size_t size, fp_isa isa);

#endif
