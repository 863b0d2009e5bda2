/* An invalid or short kernel library, chosen by the environment variable BROKEN.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/kernel.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const assay_kernels *assay_kernels_v1(void);

static void norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                 const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++, x += ld_x, y += ld_y) {
        double sum = 0;
        for (size_t i = 0; i < width; i++) sum += (double)x[i] * (double)x[i];
        for (size_t i = 0; i < width; i++)
            y[i] = (float)((double)x[i] / sqrt(sum / (double)width + epsilon) *
                           (weight ? (double)weight[i] : 1));
    }
}

/* Never called. */
static void cap(float *x, size_t n, float limit)
{
    (void)x, (void)n, (void)limit;
    abort();
}

static size_t bytes(const assay_weight *w)
{
    (void)w;
    return ASSAY_ALIGNMENT;
}

static void pack(void *panel, const assay_weight *w, size_t index)
{
    (void)panel, (void)w, (void)index;
}

static void unpack(float *row, const assay_matrix *w, size_t o)
{
    (void)row, (void)w, (void)o;
}

static void product(const assay_product *p)
{
    (void)p;
}

const assay_kernels *assay_kernels_v1(void)
{
    static assay_kernels t;
    const char *broken = getenv("BROKEN");
    const assay_matmul whole = {
        .panel = 4, .panel_bytes = bytes, .pack = pack, .unpack = unpack, .f32 = product};
    if (!broken) broken = "";
    t = (assay_kernels){
        .abi = ASSAY_KERNELS_ABI, .size = sizeof t, .name = "broken", .version = "1", .rms_norm = norm};
    if (strcmp(broken, "crash") == 0) abort();
    if (strcmp(broken, "no-table") == 0) return NULL;
    if (strcmp(broken, "abi") == 0) t.abi++;
    if (strcmp(broken, "size") == 0) t.size = 8;
    if (strcmp(broken, "name") == 0) t.name = NULL;
    if (strcmp(broken, "empty") == 0) t.rms_norm = NULL;
    if (strcmp(broken, "panel") == 0) t.matmul_f16 = (assay_matmul){.panel = ASSAY_PANEL_MAX + 1};
    if (strcmp(broken, "pack") == 0) t.matmul_bf16 = (assay_matmul){.panel = 4, .panel_bytes = bytes};
    if (strcmp(broken, "product") == 0) {
        t.matmul_f32 = whole;
        t.matmul_f32.f32 = NULL;
    }
    if (strcmp(broken, "codes") == 0) {
        t.matmul_f32 = whole;
        t.matmul_f32.i8 = product;
    }
    if (strcmp(broken, "older") == 0) { /* a table from before rope; later members must not be read */
        t.size = offsetof(assay_kernels, rope);
        t.cap = cap;
    }
    return &t;
}
