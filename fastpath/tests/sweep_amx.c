/* Sweeps the AMX kernels over emulated tiles, for processors without AMX. Real tiles stay untested; the
 * report says "emulated".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tests/sweep_amx.h"

#include <stdio.h>
#include <stdlib.h>

#include "fastpath/kernels/kernels.h"
#include "fastpath/tests/sweep_here.h"

enum { SEED = 5 };

/* Additional shapes: around the rows of a tile and of a block, and the inputs of a part and of a tile.
 * Each: rows, inputs, outputs, first panel, panels, bits, group. */
static const struct {
    const char *op;
    size_t shape[SWEEP_DIMS];
} CASES[] = {
    {"matmul_bf16.bf16", {33, 543, 70, 0, 3, 0, 0}},
    {"matmul_bf16.bf16", {49, 1025, 33, 1, 1, 0, 0}},
    {"matmul_bf16.bf16", {160, 1056, 31, 0, 1, 0, 0}},
    {"matmul_affine.bf16", {33, 1056, 70, 0, 3, 4, 32}},
    {"matmul_affine.bf16", {65, 1280, 33, 1, 1, 3, 64}},
    {"matmul_affine.bf16", {161, 1152, 31, 0, 1, 8, 128}},
    {"matmul_affine.i8", {33, 1056, 70, 0, 3, 4, 32}},
    {"matmul_affine.i8", {64, 1088, 33, 1, 1, 5, 64}},
    {"matmul_affine.i8", {129, 2176, 31, 0, 1, 8, 128}},
};

int main(void)
{
    static const char *const products[] = {"matmul_bf16.bf16", "matmul_affine.bf16", "matmul_affine.i8",
                                           NULL};
    const char *set = "amx emulated";
    size_t n_points = 0, n_failed = 0;
    if (!fp_isa_runs_here(FP_ISA_AVX512)) {
        printf(
            "1..0 # SKIP this processor does not run avx512, which the kernels for amx need beside tiles\n");
        return EXIT_SUCCESS;
    }
    fp_operations op = fp_kernels_pick(FP_ISA_AVX512).op;
    op.matmul_bf16.bf16 = fp_matmul_bf16_bf16__emulated;
    op.matmul_affine.bf16 = fp_matmul_bf16_affine__emulated;
    op.matmul_affine.i8 = fp_matmul_i8_affine__emulated;
    const assay_kernels k = fp_kernels_table(&op, set, "1");
    n_failed += sweep_here(&k, set, products, SEED, &n_points);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (size_t n = 0; n < SWEEP_N_NUMBERS; n++)
            n_failed +=
                sweep_here_case(&k, set, CASES[i].op, SEED, (sweep_numbers)n, CASES[i].shape, &n_points);
    printf("# emulated: amx itself was %s\n1..%zu\n",
           fp_isa_runs_here(FP_ISA_AMX) ? "swept by sweep.test" : "not run, since this processor has none",
           n_points);
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
