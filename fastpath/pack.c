/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/dtype.h"

static void *own(fp_packer *p, void *memory)
{
    if (memory && p->n_owned == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        void **grown = realloc(p->owned, capacity * sizeof *grown);
        if (grown) {
            p->owned = grown;
            p->capacity = capacity;
        } else {
            free(memory);
            memory = NULL;
        }
    }
    if (memory) p->owned[p->n_owned++] = memory;
    else p->status = ASSAY_ENOMEM;
    return memory;
}

void *fp_pack_alloc(fp_packer *p, size_t n, size_t element_bytes)
{
    return p->status == ASSAY_OK ? own(p, calloc(n ? n : 1, element_bytes)) : NULL;
}

void fp_pack_free(fp_packer *p)
{
    for (size_t i = 0; i < p->n_owned; i++) free(p->owned[i]);
    free(p->owned);
    *p = (fp_packer){0};
}

/* Hands back the pages of the mapping that lie wholly inside the weight. */
static void forget_pages(const plan_weight *w)
{
    if (w->affine.bits) return; /* codes, scales and biases go with the mapping */
    size_t stored_rows = w->transposed ? w->cols : w->rows, row = w->transposed ? w->rows : w->cols;
    size_t stride = w->stride ? w->stride : row, page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)w->data;
    uintptr_t end = first + ((stored_rows - 1) * stride + row) * dtype_size(w->dtype);
    first = (first + page - 1) / page * page;
    end = end / page * page;
    if (stride == row && first < end) (void)madvise((void *)first, end - first, MADV_DONTNEED);
}

typedef struct packing {
    const plan_weight *from;
    fp_matrix *to;
} packing;

/* Copies one number, or narrows one of float64. */
static void copy_number(char *to, const char *from, assay_dtype stored, size_t bytes)
{
    if (stored == ASSAY_F64) {
        float narrow;
        dtype_to_f32(&narrow, from, stored, 1);
        memcpy(to, &narrow, sizeof narrow);
    } else {
        memcpy(to, from, bytes);
    }
}

static void pack_panel(void *context, size_t panel)
{
    const packing *k = context;
    const plan_weight *w = k->from;
    size_t bytes = dtype_size(k->to->dtype), stored = dtype_size(w->dtype);
    size_t stride = w->stride ? w->stride : w->transposed ? w->rows : w->cols;
    char *to = (char *)k->to->panels + panel * w->cols * FP_PANEL * bytes;
    for (size_t o = 0; o < FP_PANEL; o++) {
        size_t row = panel * FP_PANEL + o;
        for (size_t i = 0; i < w->cols; i++) {
            char *number = to + (i * FP_PANEL + o) * bytes;
            size_t at = w->transposed ? i * stride + row : row * stride + i;
            if (row < w->rows) copy_number(number, (const char *)w->data + at * stored, w->dtype, bytes);
            else memset(number, 0, bytes);
        }
    }
}

/* MLX's affine groups, as the numbers that they stand for. */
static void pack_affine_panel(void *context, size_t panel)
{
    const packing *k = context;
    const plan_weight *w = k->from;
    const size_t group = w->affine.group;
    double wide[AFFINE_GROUP_MAX];
    float *to = (float *)k->to->panels + panel * w->cols * FP_PANEL;
    memset(to, 0, w->cols * FP_PANEL * sizeof *to);
    for (size_t row = panel * FP_PANEL, o = 0; o < FP_PANEL && row < w->rows; o++, row++) {
        for (size_t g = 0; g < w->cols / group; g++) {
            affine_widen(wide, &w->affine, w->data, w->cols, row, g);
            for (size_t i = 0; i < group; i++) to[(g * group + i) * FP_PANEL + o] = (float)wide[i];
        }
    }
}

static assay_dtype packed_type(const plan_weight *w)
{
    return w->affine.bits || w->dtype == ASSAY_F64 ? ASSAY_F32 : w->dtype;
}

fp_matrix fp_pack_matrix(fp_packer *p, const plan_weight *w)
{
    fp_matrix m = {.n_out = w->rows, .n_in = w->cols, .dtype = packed_type(w)};
    if (p->status != ASSAY_OK || !w->data) return m;
    size_t n = fp_matrix_panels(&m), bytes = w->cols * FP_PANEL * dtype_size(m.dtype);
    m.panels = n <= SIZE_MAX / bytes ? own(p, aligned_alloc(FP_ALIGNMENT, n * bytes)) : NULL;
    if (!m.panels) {
        p->status = ASSAY_ENOMEM;
        return m;
    }
    packing k = {.from = w, .to = &m};
    fp_pool_run(p->pool, n, FP_PANEL * w->cols, w->affine.bits ? pack_affine_panel : pack_panel, &k);
    forget_pages(w);
    return m;
}

const float *fp_pack_vector(fp_packer *p, const plan_weight *w)
{
    if (!w->data) return NULL;
    float *v = fp_pack_alloc(p, w->cols, sizeof *v);
    if (v) dtype_to_f32(v, w->data, w->dtype, w->cols);
    return v;
}

fp_linear fp_pack_linear(fp_packer *p, const plan_linear *linear)
{
    return (fp_linear){.weight = fp_pack_matrix(p, &linear->weight),
                       .bias = fp_pack_vector(p, &linear->bias)};
}

fp_norm fp_pack_norm(fp_packer *p, const plan_norm *norm)
{
    if (!norm->present) return (fp_norm){0};
    return (fp_norm){.present = true, .epsilon = norm->epsilon, .weight = fp_pack_vector(p, &norm->weight)};
}

void fp_matrix_row(const fp_matrix *m, size_t o, float *out)
{
    size_t bytes = dtype_size(m->dtype);
    const char *from = m->panels;
    from += (o / FP_PANEL * m->n_in * FP_PANEL + o % FP_PANEL) * bytes;
    for (size_t i = 0; i < m->n_in; i++) dtype_to_f32(out + i, from + i * FP_PANEL * bytes, m->dtype, 1);
}
