/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/huge.h"

static void *own_memory(fp_packer *p, void *memory)
{
    void **grown = memory ? grow_by_one(p->owned, p->n_owned, sizeof *grown) : NULL;
    if (!grown) {
        free(memory);
        return NULL;
    }
    p->owned = grown;
    p->owned[p->n_owned++] = memory;
    return memory;
}

void *fp_pack_alloc(fp_packer *p, size_t n, size_t element_bytes)
{
    void *memory = p->is_short ? NULL : own_memory(p, calloc(n ? n : 1, element_bytes));
    if (!memory) p->is_short = true;
    return memory;
}

void fp_pack_free(fp_packer *p)
{
    for (size_t i = 0; i < p->n_owned; i++) free(p->owned[i]);
    free(p->owned);
    *p = (fp_packer){0};
}

/* Releases the pages of the mapping that lie completely inside a range. */
static void forget_range(const void *from, size_t n_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = ((uintptr_t)from + page - 1) / page * page,
                    end = ((uintptr_t)from + n_bytes) / page * page;
    if (first < end) (void)madvise((void *)first, end - first, MADV_DONTNEED);
}

/* Releases the storage of a weight, unless other weights lie between its rows. */
static void forget_pages(const plan_weight *w)
{
    const size_t row = w->transposed ? w->rows : w->cols;
    if (w->affine.bits) {
        const size_t n_groups = w->rows * (w->cols / w->affine.group);
        forget_range(w->data, w->rows * affine_words(w->cols, w->affine.bits) * sizeof(uint32_t));
        forget_range(w->affine.scales, n_groups * dtype_size(w->affine.scale_dtype));
        forget_range(w->affine.biases, n_groups * dtype_size(w->affine.bias_dtype));
    } else if (w->stride == 0 || w->stride == row) {
        forget_range(w->data, w->rows * w->cols * dtype_size(w->dtype));
    }
}

/* The first slab is allocated in ordinary pages: a huge page takes longer to clear than a small model to
 * pack. */
enum { FIRST_SLAB = 512 << 10, SLAB = 32 << 20 };

static void *allocate_slab(fp_packer *p, size_t n_bytes)
{
    p->slab_left = 0;
    void *memory = n_bytes == SLAB ? huge_alloc(n_bytes) : aligned_alloc(ASSAY_ALIGNMENT, n_bytes);
    p->slab = own_memory(p, memory);
    if (p->slab) p->slab_left = n_bytes;
    return p->slab;
}

/* Allocates memory for panels, aligned to ASSAY_ALIGNMENT: all of it is written now and read in each step.
 * Matrices smaller than a huge page of 2 MiB share one. */
static void *allocate_panels(fp_packer *p, size_t n_bytes)
{
    const size_t slab = p->slab || n_bytes > FIRST_SLAB ? SLAB : FIRST_SLAB;
    if (n_bytes > SLAB / 2) return own_memory(p, huge_alloc(n_bytes));
    if (n_bytes > p->slab_left && !allocate_slab(p, slab)) return NULL;
    void *panels = p->slab;
    p->slab += n_bytes;
    p->slab_left -= n_bytes;
    return panels;
}

typedef struct packing {
    const plan_weight *from;
    const fp_matrix *to;
    const fp_kernels *kernels;
    atomic_bool failed;
} packing;

/* Describes the weight for a kernel's pack function, except for the type of plain numbers. */
static assay_weight describe_weight(const plan_weight *w)
{
    return (assay_weight){
        .n_out = w->rows,
        .n_in = w->cols,
        .dtype = w->dtype,
        .bits = w->affine.bits,
        .group = w->affine.group,
        .rows = w->data,
        .stride = w->affine.bits ? affine_words(w->cols, w->affine.bits)
                  : w->stride    ? w->stride
                                 : w->cols,
        .scales = w->affine.scales,
        .biases = w->affine.biases,
        .scale_dtype = w->affine.scale_dtype,
        .bias_dtype = w->affine.bias_dtype,
    };
}

/* Converts n numbers, `stride` apart, to the packed type with `bytes` bytes each. wide: scratch, [n]. */
static void convert_row(char *to, assay_dtype dtype, const char *from, assay_dtype stored, size_t stride,
                        size_t n, float *wide, const fp_kernels *kernels)
{
    const size_t bytes = dtype_size(stored);
    if (stored == dtype) {
        for (size_t i = 0; i < n; i++) memcpy(to + i * bytes, from + i * stride * bytes, bytes);
        return;
    }
    for (size_t i = 0; i < n; i++) dtype_to_f32(wide + i, from + i * stride * bytes, stored, 1);
    if (dtype == ASSAY_BF16) kernels->narrow_bf16((uint16_t *)(void *)to, wide, n);
    else memcpy(to, wide, n * sizeof *wide);
}

/* Packs a panel from a copy of its rows, if the checkpoint has another order or type. */
static void pack_staged(packing *job, size_t panel)
{
    const plan_weight *w = job->from;
    const assay_matrix *m = &job->to->packed;
    const size_t bytes = dtype_size(m->dtype), first = panel * m->panel;
    const size_t stride = w->stride ? w->stride : w->transposed ? w->rows : w->cols;
    const size_t n_rows = w->rows - first < m->panel ? w->rows - first : m->panel;
    char *rows = malloc(n_rows * w->cols * bytes);
    float *wide = malloc(w->cols * sizeof *wide);
    for (size_t r = 0; rows && wide && r < n_rows; r++) {
        const size_t at = w->transposed ? first + r : (first + r) * stride;
        convert_row(rows + r * w->cols * bytes, m->dtype, (const char *)w->data + at * dtype_size(w->dtype),
                    w->dtype, w->transposed ? stride : 1, w->cols, wide, job->kernels);
    }
    if (rows && wide) {
        const assay_weight staged = {
            .n_out = n_rows, .n_in = w->cols, .dtype = m->dtype, .rows = rows, .stride = w->cols};
        job->to->kernel->pack((char *)m->panels + panel * m->panel_bytes, &staged, 0);
    } else {
        atomic_store(&job->failed, true);
    }
    free(rows);
    free(wide);
}

static void pack_panel(void *context, size_t panel)
{
    packing *job = context;
    const assay_matrix *m = &job->to->packed;
    const assay_weight w = describe_weight(job->from);
    if (job->from->transposed || m->dtype != w.dtype) pack_staged(job, panel);
    else job->to->kernel->pack((char *)m->panels + panel * m->panel_bytes, &w, panel);
}

/* Chooses the kernels for a weight, and the type of its rows. */
static fp_matrix choose_kernels(const fp_packer *p, const plan_weight *w)
{
    const fp_operations *op = &p->kernels->op;
    fp_matrix m = {.packed = {.n_out = w->rows, .n_in = w->cols, .dtype = w->dtype}};
    if (w->affine.bits) {
        m.packed.bits = w->affine.bits;
        m.packed.group = w->affine.group;
        m.packed.scale_dtype = w->affine.scale_dtype;
        m.packed.bias_dtype = w->affine.bias_dtype;
        m.kernel = &op->matmul_affine;
        m.x = p->compute;
    } else {
        if (p->compute == ASSAY_BF16) m.packed.dtype = ASSAY_BF16;
        else if (w->dtype == ASSAY_F64) m.packed.dtype = ASSAY_F32;
        m.kernel = m.packed.dtype == ASSAY_F32   ? &op->matmul_f32
                   : m.packed.dtype == ASSAY_F16 ? &op->matmul_f16
                                                 : &op->matmul_bf16;
        m.x = p->compute == ASSAY_BF16 ? ASSAY_BF16 : ASSAY_F32;
    }
    m.run = m.x == ASSAY_I8 ? m.kernel->i8 : m.x == ASSAY_BF16 ? m.kernel->bf16 : m.kernel->f32;
    return m;
}

/* No silent fallback: fastpath's own product cannot read an external layout. */
static assay_status fail_without_product(const fp_packer *p, const fp_matrix *m, assay_error *err)
{
    const assay_dtype w = m->packed.dtype;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "kernels %s: matmul_%s has no %s, which is needed to compute in %s",
                      p->kernels->outside,
                      m->packed.bits    ? "affine"
                      : w == ASSAY_BF16 ? "bf16"
                      : w == ASSAY_F16  ? "f16"
                                        : "f32",
                      m->x == ASSAY_I8     ? "i8"
                      : m->x == ASSAY_BF16 ? "bf16"
                                           : "f32",
                      dtype_name(p->compute));
}

/* A matrix that is being packed from the mapping into panels. */
typedef struct packed_matrix {
    fp_packer *packer;
    const plan_weight *from;
    fp_matrix *to;
} packed_matrix;

static assay_status make_panels(void *context, array *self, array *const *inputs, assay_error *err)
{
    const packed_matrix *job = context;
    fp_packer *p = job->packer;
    fp_matrix m = *job->to;
    (void)inputs;
    if (!m.run) return fail_without_product(p, &m, err);
    packing work = {.from = job->from, .to = &m, .kernels = p->kernels};
    atomic_init(&work.failed, false);
    m.packed.panels = allocate_panels(p, array_bytes(self));
    if (m.packed.panels)
        fp_pool_run(p->pool, fp_matrix_panels(&m.packed), m.packed.panel * job->from->cols, pack_panel,
                    &work);
    if (!m.packed.panels || atomic_load(&work.failed))
        return assay_fail(err, ASSAY_ENOMEM, "out of memory for %zu x %zu weights", job->from->rows,
                          job->from->cols);
    forget_pages(job->from);
    array_point(self, m.packed.panels);
    *job->to = m;
    return ASSAY_OK;
}

/* The size of all panels in bytes; 0 if it overflows, or if no product reads them. */
static size_t panels_bytes(fp_matrix *m, const plan_weight *w)
{
    if (!m->run) return 0;
    assay_weight shape = describe_weight(w);
    shape.dtype = m->packed.dtype;
    m->packed.panel = m->kernel->panel;
    m->packed.panel_bytes = m->kernel->panel_bytes(&shape);
    const size_t n = fp_matrix_panels(&m->packed), bytes = m->packed.panel_bytes;
    return n <= (SIZE_MAX - HUGE_PAGE) / bytes ? n * bytes : 0;
}

void fp_pack_matrix(fp_packer *p, fp_matrix *to, const plan_weight *from)
{
    *to = choose_kernels(p, from);
    if (!from->data) return;
    if (from->cols > p->widest) p->widest = from->cols;
    packed_matrix *job = fp_pack_alloc(p, 1, sizeof *job);
    if (!job) return;
    *job = (packed_matrix){p, from, to};
    (void)array_list_defer(p->arrays, from->name, false, panels_bytes(to, from),
                           (array_maker){make_panels, job, NULL}, NULL, 0);
}

/* context: receives the address. inputs: the vector as converted by the loader. */
static assay_status narrow_vector(void *context, array *self, array *const *inputs, assay_error *err)
{
    const float **to = context;
    float *v = array_allocate(self);
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    dtype_to_f32(v, array_data(inputs[0]), ASSAY_F64, array_bytes(self) / sizeof *v);
    *to = v;
    return ASSAY_OK;
}

void fp_pack_vector(fp_packer *p, const float **to, const plan_weight *from)
{
    *to = NULL;
    if (!from->data) return;
    (void)array_list_defer(p->arrays, from->name, false, from->cols * sizeof(float),
                           (array_maker){narrow_vector, to, NULL}, &from->values, 1);
}

typedef struct packed_columns {
    const plan_weight *from;
    const float **to;
} packed_columns;

static assay_status make_columns(void *context, array *self, array *const *inputs, assay_error *err)
{
    const packed_columns *job = context;
    const plan_weight *w = job->from;
    float *v = array_allocate(self);
    (void)inputs;
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t r = 0; r < w->rows; r++)
        for (size_t c = 0; c < w->cols; c++)
            dtype_to_f32(&v[c * w->rows + r],
                         (const char *)w->data + (r * w->cols + c) * dtype_size(w->dtype), w->dtype, 1);
    *job->to = v;
    return ASSAY_OK;
}

void fp_pack_columns(fp_packer *p, const float **to, const plan_weight *from)
{
    *to = NULL;
    if (!from->data) return;
    assert(!from->affine.bits && !from->transposed && !from->stride);
    packed_columns *job = fp_pack_alloc(p, 1, sizeof *job);
    if (!job) return;
    *job = (packed_columns){from, to};
    (void)array_list_defer(p->arrays, from->name, false, from->rows * from->cols * sizeof(float),
                           (array_maker){make_columns, job, NULL}, NULL, 0);
}

void fp_pack_linear(fp_packer *p, fp_linear *to, const plan_linear *from)
{
    fp_pack_matrix(p, &to->weight, &from->weight);
    fp_pack_vector(p, &to->bias, &from->bias);
}

/* context: the norm, whose offset is added before its weights are rounded. */
static assay_status shift_weights(void *context, array *self, array *const *inputs, assay_error *err)
{
    fp_norm *to = context;
    const double *stored = array_data(inputs[0]);
    float *v = array_allocate(self);
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < to->width; i++) v[i] = (float)(stored[i] + to->offset);
    to->weight = v;
    return ASSAY_OK;
}

void fp_pack_norm(fp_packer *p, fp_norm *to, const plan_norm *from)
{
    *to = (fp_norm){.present = from->present,
                    .kind = from->kind,
                    .epsilon = from->epsilon,
                    .width = from->width,
                    .offset = from->offset};
    if (from->present) fp_pack_vector(p, &to->bias, &from->bias);
    if (!from->present || !from->weight.data) return;
    assert(from->weight.cols == from->width);
    (void)array_list_defer(p->arrays, from->weight.name, false, from->width * sizeof(float),
                           (array_maker){shift_weights, to, NULL}, &from->weight.values, 1);
}
