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
#include "fastpath/kernels/stored/repack.h"
#include "model/numerics/stored.h"

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

/* Releases the storage of a weight. Other weights in the same tensor are read again from the page cache. */
static void forget_pages(const plan_weight *w)
{
    const assay_stored *s = &w->stored;
    const assay_field *const fields[] = {&s->codes,  &s->zero, &s->scale, &s->scale2,
                                         &s->offset, &s->min,  &s->min2};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i]->layout && fields[i]->bytes) forget_range(fields[i]->bytes, fields[i]->n_bytes);
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

/* Packs a panel from a copy of its rows, if the checkpoint has another order or type. numbers: where they
 * are, if they are plain. */
static void pack_staged(packing *job, size_t panel, const stored_numbers *numbers)
{
    const plan_weight *w = job->from;
    const assay_matrix *m = &job->to->packed;
    const size_t bytes = dtype_size(m->dtype), first = panel * m->panel;
    const size_t n_rows = w->rows - first < m->panel ? w->rows - first : m->panel;
    char *rows = malloc(n_rows * w->cols * bytes);
    float *wide = malloc(w->cols * sizeof *wide);
    for (size_t r = 0; rows && wide && r < n_rows; r++) {
        char *to = rows + r * w->cols * bytes;
        if (!numbers) fp_repack_f32(&w->stored, first + r, 1, wide);
        const char *from = !numbers ? (const char *)wide
                                    : (const char *)numbers->data +
                                          (first + r) * numbers->row_stride * dtype_size(numbers->dtype);
        convert_row(to, m->dtype, from, numbers ? numbers->dtype : ASSAY_F32,
                    numbers ? numbers->col_stride : 1, w->cols, wide, job->kernels);
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

/* Packs a panel of codes, which are copied into affine groups first. */
static void pack_repacked(packing *job, size_t panel)
{
    const plan_weight *w = job->from;
    const assay_matrix *m = &job->to->packed;
    const size_t first = panel * m->panel, left = w->rows - first;
    void *memory = NULL;
    assay_weight groups;
    const bool is_affine = fp_repack_as_affine(&w->stored, !job->kernels->outside, &groups);
    if (is_affine && fp_repack_affine(&w->stored, first, left < m->panel ? left : m->panel, &groups, &memory))
        job->to->kernel->pack((char *)m->panels + panel * m->panel_bytes, &groups, 0);
    else atomic_store(&job->failed, true);
    free(memory);
}

/* Describes the weight for a kernel's pack function: the rows where they are, or only their kind. */
static assay_weight describe_weight(const plan_weight *w, const fp_kernels *kernels, bool *is_in_place)
{
    stored_numbers numbers;
    affine groups;
    const void *codes = NULL;
    assay_weight is = {.n_out = w->rows, .n_in = w->cols, .dtype = ASSAY_F32, .stride = w->cols};
    *is_in_place = true;
    if (stored_as_affine(&w->stored, &groups, &codes)) {
        is.dtype = ASSAY_U32;
        is.bits = groups.bits;
        is.group = groups.group;
        is.rows = codes;
        is.stride = affine_words(w->cols, groups.bits);
        is.scales = groups.scales;
        is.biases = groups.biases;
        is.scale_dtype = groups.scale_dtype;
        is.bias_dtype = groups.bias_dtype;
    } else if (stored_as_numbers(&w->stored, &numbers)) {
        is.dtype = numbers.dtype;
        is.rows = numbers.data;
        is.stride = numbers.row_stride;
        *is_in_place = numbers.col_stride == 1;
    } else {
        *is_in_place = false;
        (void)fp_repack_as_affine(&w->stored, !kernels->outside, &is);
    }
    return is;
}

static void pack_panel(void *context, size_t panel)
{
    packing *job = context;
    const assay_matrix *m = &job->to->packed;
    stored_numbers numbers;
    bool is_in_place;
    const assay_weight w = describe_weight(job->from, job->kernels, &is_in_place);
    if (is_in_place && m->dtype == w.dtype)
        job->to->kernel->pack((char *)m->panels + panel * m->panel_bytes, &w, panel);
    else if (m->bits) pack_repacked(job, panel);
    else pack_staged(job, panel, stored_as_numbers(&job->from->stored, &numbers) ? &numbers : NULL);
}

/* Chooses the kernels for a weight, and the type of its rows. */
static fp_matrix choose_kernels(const fp_packer *p, const plan_weight *w)
{
    const fp_operations *op = &p->kernels->op;
    bool is_in_place;
    fp_matrix m = {.packed = {.n_out = w->rows, .n_in = w->cols}};
    if (!w->data) return m;
    const assay_weight is = describe_weight(w, p->kernels, &is_in_place);
    m.packed.dtype = is.dtype;
    if (is.bits) {
        m.packed.bits = is.bits;
        m.packed.group = is.group;
        m.packed.scale_dtype = is.scale_dtype;
        m.packed.bias_dtype = is.bias_dtype;
        m.kernel = &op->matmul_affine;
        m.x = p->compute;
    } else {
        if (p->compute == ASSAY_BF16) m.packed.dtype = ASSAY_BF16;
        else if (is.dtype == ASSAY_F64) m.packed.dtype = ASSAY_F32;
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
static size_t panels_bytes(fp_matrix *m, const plan_weight *w, const fp_kernels *kernels)
{
    if (!m->run) return 0;
    bool is_in_place;
    assay_weight shape = describe_weight(w, kernels, &is_in_place);
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
    (void)array_list_defer(p->arrays, from->name, false, panels_bytes(to, from, p->kernels),
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
    float *row = malloc(w->cols * sizeof *row);
    if (!row) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t r = 0; r < w->rows; r++) {
        fp_repack_f32(&w->stored, r, 1, row);
        for (size_t c = 0; c < w->cols; c++) v[c * w->rows + r] = row[c];
    }
    free(row);
    *job->to = v;
    return ASSAY_OK;
}

void fp_pack_columns(fp_packer *p, const float **to, const plan_weight *from)
{
    *to = NULL;
    if (!from->data) return;
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
