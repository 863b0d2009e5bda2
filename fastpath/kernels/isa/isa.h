/* Instruction sets: which ones kernels are written for, which of them this processor runs, which one is to
 * be used.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_ISA_ISA_H
#define FASTPATH_KERNELS_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>

#include <assay/status.h>

/* Instruction sets in ascending order of preference. */
typedef enum fp_isa {
    FP_ISA_SCALAR,     /* plain C, everywhere */
    FP_ISA_NEON,       /* Advanced SIMD of every AArch64 */
    FP_ISA_AVX2,       /* with FMA and F16C */
    FP_ISA_AVX512,     /* F, BW, DQ and VL */
    FP_ISA_AVX512BF16, /* AVX512 with BF16 and VNNI */
    FP_ISA_AMX,        /* AVX512BF16 with tiles of bfloat16 and int8 */
    FP_N_ISAS
} fp_isa;

/* "scalar", "neon", "avx2", "avx512", "avx512bf16", "amx"; NULL for a value outside the enumeration. */
const char *fp_isa_name(fp_isa isa);

/* Whether the processor and the operating system support the set. Requests the permission for AMX tiles
 * from the system, which then lasts for the process. */
bool fp_isa_runs_here(fp_isa isa);

/* Chooses the set named `name`, or the best supported one if name is NULL or empty. Fails with
 * ASSAY_EINVAL for an unknown name, with ASSAY_EUNSUPPORTED for a set that is not supported here. who:
 * the source of the name, for the message ("ASSAY_ISA"). */
assay_status fp_isa_choose(const char *name, const char *who, fp_isa *out, assay_error *err);

/* Finds the first variant in a table, best first, whose set is at most isa. Each variant has `size`
 * bytes and begins with its fp_isa; the last is scalar. */
const void *fp_isa_pick(const void *variants, size_t size, fp_isa isa);

#endif
