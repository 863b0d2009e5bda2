/* An invalid or short kernel library, chosen by the environment variable BROKEN.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/kernel.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const assay_kernels *assay_kernels_v2(void);

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

/* Takes Q8_0 only. */
static bool supports(const assay_stored *w)
{
    return strcmp(w->format, "Q8_0") == 0;
}

static size_t stored_bytes(const assay_stored *w)
{
    (void)w;
    return ASSAY_ALIGNMENT;
}

static void pack_stored(void *panel, const assay_stored *w, size_t index)
{
    (void)panel, (void)w, (void)index;
}

static void unpack_stored(float *row, const assay_stored_matrix *w, size_t o)
{
    (void)row, (void)w, (void)o;
}

static void multiply_stored(const assay_stored_product *p)
{
    (void)p;
}

/* An operation as a later header has it: with one more function. */
typedef struct longer_norm {
    assay_rms_norm known;
    void (*later)(void);
} longer_norm;

static assay_kernels table;
static assay_matmul matmul;
static assay_matmul_stored stored;
static longer_norm norms;
static assay_cap caps;

static bool errs(const char *how)
{
    const char *broken = getenv("BROKEN");
    return broken && strcmp(broken, how) == 0;
}

static void break_table(void)
{
    if (errs("abi")) table.abi++;
    if (errs("size")) table.size = 8;
    if (errs("name")) table.name = NULL;
    if (errs("empty")) table.rms_norm = NULL;
    if (errs("older")) { /* a table from before rope; later members must not be read */
        table.size = offsetof(assay_kernels, rope);
        table.cap = &caps;
    }
}

static void break_norm(void)
{
    if (errs("norm-size")) norms.known.size = 8;
    if (errs("no-norm")) norms.known.f32 = NULL;
    if (errs("longer-norm")) {
        norms.known.size = sizeof norms;
        norms.later = abort;
    }
}

static bool breaks_matmul(void)
{
    if (errs("panel")) matmul.panel = ASSAY_PANEL_MAX + 1;
    else if (errs("no-panel")) matmul.panel = 0;
    else if (errs("pack")) matmul.pack = NULL;
    else if (errs("matmul-size")) matmul.size = offsetof(assay_matmul, unpack);
    else if (errs("product")) matmul.f32 = NULL;
    else if (errs("older-product")) matmul.size = offsetof(assay_matmul, f32); /* its product is beyond */
    else if (errs("codes")) matmul.i8 = product;
    else if (errs("older-matmul")) { /* from before products of codes, which must not be read */
        matmul.size = offsetof(assay_matmul, i8);
        matmul.i8 = product;
    } else return false;
    return true;
}

static bool breaks_stored(void)
{
    if (errs("supports")) stored.supports = NULL;
    else if (errs("stored-pack")) stored.pack = NULL;
    else if (errs("stored-panel")) stored.panel = 0;
    else if (errs("stored-product")) stored.f32 = NULL;
    else if (errs("stored-codes")) stored.i8 = multiply_stored;
    else if (errs("stored-size")) stored.size = offsetof(assay_matmul_stored, i8);
    else return errs("stored");
    return true;
}

/* Filled here, not once: only one thread calls it. */
const assay_kernels *assay_kernels_v2(void)
{
    if (errs("crash")) abort();
    if (errs("no-table")) return NULL;
    caps = (assay_cap){.size = sizeof caps, .f32 = cap};
    norms = (longer_norm){.known = {.size = sizeof norms.known, .f32 = norm}};
    matmul = (assay_matmul){.size = sizeof matmul,
                            .panel = 4,
                            .panel_bytes = bytes,
                            .pack = pack,
                            .unpack = unpack,
                            .f32 = product};
    stored = (assay_matmul_stored){.size = sizeof stored,
                                   .panel = 4,
                                   .supports = supports,
                                   .panel_bytes = stored_bytes,
                                   .pack = pack_stored,
                                   .unpack = unpack_stored,
                                   .f32 = multiply_stored};
    table = (assay_kernels){.abi = ASSAY_KERNELS_ABI,
                            .size = sizeof table,
                            .name = "broken",
                            .version = "1",
                            .rms_norm = &norms.known};
    break_table();
    break_norm();
    if (breaks_matmul()) table.matmul_f32 = &matmul;
    if (breaks_stored()) table.matmul_stored = &stored;
    return &table;
}
