/* Sweeps the kernels of an instruction set in this process, which needs no library and loads none: what
 * scripts/check-emulated runs under an emulator.
 *
 *     sweep_set [SET [I N]]     the best that runs here; all operations, or every Nth from the Ith on
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/kernels/kernels.h"
#include "fastpath/tests/sweep_here.h"

enum { SEED = 5, WIDTH = 256 };

/* Draws inputs for conversions to narrower types, which are exactly defined: small and large numbers,
 * ties, and some extreme ones. */
static void draw(float x[WIDTH], uint64_t seed)
{
    static const float odd[] = {0, -0.0F, 0x1.01p0F, 0x1.03p0F, 127, 63.5F, 1e-42F, 3e38F};
    /* The last number before infinity; NaN that carries into the sign, or that is infinity once it is cut. */
    static const uint32_t strange[] = {0x7F7FFFFF, 0xFF800000, 0x7FFFFFFF, 0xFF800001};
    for (size_t i = 0; i < WIDTH; i++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const uint64_t bits = seed >> 33;
        x[i] = bits % 5 ? (float)(bits % 20011) / 64 - 156 : odd[bits / 5 % (sizeof odd / sizeof *odd)];
        if (seed % 3 == 0 && bits % 61 == 0) memcpy(x + i, strange + bits % 4, sizeof *x);
    }
}

typedef struct narrowed {
    uint16_t bf16[WIDTH];
    int8_t codes[WIDTH];
    float scale[WIDTH / 16];
    int32_t sum[WIDTH / 16];
} narrowed;

/* Converts the first n elements of x; memory after them must stay unchanged. */
static narrowed narrow(const fp_kernels *k, const float *x, size_t n, size_t group)
{
    narrowed out;
    memset(&out, 0x55, sizeof out);
    k->narrow_bf16(out.bf16, x, n);
    k->narrow_i8(out.codes, out.scale, out.sum, x, n / group * group, group);
    for (size_t i = 0; i < n; i++) /* any NaN is as good as another */
        if ((out.bf16[i] & 0x7FFF) > 0x7F80) out.bf16[i] = 0x7FC0;
    for (size_t g = 0; g < n / group; g++)
        if (isnan(out.scale[g])) out.scale[g] = NAN;
    return out;
}

/* Every length, so every tail, and every group. */
static size_t narrow_all(const fp_kernels *k, const char *set, size_t *n_points)
{
    const fp_kernels scalar = fp_kernels_pick(FP_ISA_SCALAR);
    float x[WIDTH];
    bool same = true;
    for (size_t n = 1; n <= WIDTH; n++)
        for (size_t group = 16; group <= 128; group *= 2) {
            draw(x, n * group);
            const narrowed truth = narrow(&scalar, x, n, group), found = narrow(k, x, n, group);
            same = same && memcmp(&truth, &found, sizeof truth) == 0;
        }
    printf("%s %zu - narrow, %s, as scalar does\n", same ? "ok" : "not ok", ++*n_points, set);
    return !same;
}

/* Every nth operation from the first one on, counted from 1. */
static size_t sweep_part_of(const assay_kernels *table, const char *set, size_t first, size_t n,
                            size_t *n_points)
{
    const char *words[SWEEP_OPS_MAX + 1] = {NULL};
    size_t n_words = 0;
    for (size_t i = first - 1; i < sweep_n_ops(); i += n) words[n_words++] = sweep_op_at(i)->name;
    return sweep_here(table, set, words, SEED, n_points);
}

int main(int argc, char **argv)
{
    const size_t first = argc > 3 ? strtoul(argv[2], NULL, 10) : 1,
                 n = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    size_t n_points = 0, n_failed = 0;
    assay_error err;
    fp_isa isa;
    if (argc == 3 || argc > 4 || first < 1 || n < first) {
        printf("Bail out! usage: sweep_set [SET [I N]]\n");
        return EXIT_FAILURE;
    }
    if (fp_isa_choose(argc > 1 ? argv[1] : "", "sweep_set", &isa, &err) != ASSAY_OK) {
        printf("Bail out! %s\n", err.text);
        return EXIT_FAILURE;
    }
    const fp_kernels k = fp_kernels_pick(isa);
    n_failed += narrow_all(&k, fp_isa_name(isa), &n_points);
    const assay_kernels table = fp_kernels_table(&k.op, fp_isa_name(isa), "1");
    n_failed += sweep_part_of(&table, fp_isa_name(isa), first, n, &n_points);
    printf("1..%zu\n", n_points);
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
