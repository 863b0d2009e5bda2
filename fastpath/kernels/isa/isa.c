/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/isa/isa.h"

#include <stdio.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

#include "base/error.h"
#include "base/processor.h"

static const char *const NAMES[FP_N_ISAS] = {"scalar", "neon", "avx2", "avx512", "avx512bf16", "amx"};

const char *fp_isa_name(fp_isa isa)
{
    return (size_t)isa < FP_N_ISAS ? NAMES[isa] : NULL;
}

#if defined __x86_64__ || defined __i386__
/* Clang's __builtin_cpu_supports does not know the name. The caller has checked AVX2, so the system
 * saves the registers. */
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

bool fp_isa_runs_here(fp_isa isa)
{
    switch (isa) {
    case FP_ISA_SCALAR: return true;
#ifdef __aarch64__
    case FP_ISA_NEON: return true;
#endif
#if defined __x86_64__ || defined __i386__
    case FP_ISA_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    case FP_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case FP_ISA_AVX512BF16:
        return fp_isa_runs_here(FP_ISA_AVX512) && __builtin_cpu_supports("avx512bf16") &&
               __builtin_cpu_supports("avx512vnni");
#endif
    case FP_ISA_AMX: return fp_isa_runs_here(FP_ISA_AVX512BF16) && processor_runs_tiles();
    default: return false;
    }
}

static fp_isa best_isa(void)
{
    size_t isa = FP_N_ISAS;
    while (--isa > FP_ISA_SCALAR && !fp_isa_runs_here((fp_isa)isa)) continue;
    return (fp_isa)isa;
}

static assay_status no_such_set(const char *name, const char *who, assay_error *err)
{
    char known[64] = "";
    size_t n = 0;
    for (size_t i = 0; i < FP_N_ISAS && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", NAMES[i]);
    return assay_fail(err, ASSAY_EINVAL, "%s: found \"%s\", expected one of %s", who, name, known);
}

assay_status fp_isa_choose(const char *name, const char *who, fp_isa *out, assay_error *err)
{
    if (!name || !*name) {
        *out = best_isa();
        return ASSAY_OK;
    }
    size_t isa = 0;
    while (isa < FP_N_ISAS && strcmp(name, NAMES[isa]) != 0) isa++;
    if (isa == FP_N_ISAS) return no_such_set(name, who, err);
    if (!fp_isa_runs_here((fp_isa)isa))
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found \"%s\", which this processor does not run", who,
                          name);
    *out = (fp_isa)isa;
    return ASSAY_OK;
}

const void *fp_isa_pick(const void *variants, size_t size, fp_isa isa)
{
    const char *v = variants;
    while (*(const fp_isa *)v > isa) v += size;
    return v;
}
