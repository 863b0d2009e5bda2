/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack_matrix.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/huge.h"
#include "fastpath/kernels/matmul/panels.h"
#include "fastpath/kernels/stored/form.h"
#include "fastpath/kernels/stored/repack.h"
#include "fastpath/kernels/stored/stored.h"
#include "model/numerics/stored.h"

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
    for (size_t i = 0; i < STORED_FIELDS; i++) {
        const assay_field *field = stored_field_at(s, i);
        if (field->layout && field->bytes) forget_range(field->bytes, field->n_bytes);
    }
}

/* The first slab is allocated in ordinary pages: a huge page takes longer to clear than a small model to
 * pack. */
enum { FIRST_SLAB = 512 << 10, SLAB = 32 << 20 };

static void *allocate_slab(fp_packer *p, size_t n_bytes)
{
    p->slab_left = 0;
    void *memory = n_bytes == SLAB ? huge_alloc(n_bytes) : aligned_alloc(ASSAY_ALIGNMENT, n_bytes);
    p->slab = fp_pack_own(p, memory);
    if (p->slab) p->slab_left = n_bytes;
    return p->slab;
}

/* Allocates memory for panels, aligned to ASSAY_ALIGNMENT: all of it is written now and read in each step.
 * Matrices smaller than a huge page of 2 MiB share one. */
static void *allocate_panels(fp_packer *p, size_t n_bytes)
{
    const size_t slab = p->slab || n_bytes > FIRST_SLAB ? SLAB : FIRST_SLAB;
    if (n_bytes > SLAB / 2) return fp_pack_own(p, huge_alloc(n_bytes));
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
    else if (dtype == ASSAY_F32) memcpy(to, wide, n * sizeof *wide);
    for (size_t i = 0; dtype == ASSAY_F16 && i < n; i++) {
        const double x = (double)wide[i];
        dtype_from_f64(to + i * sizeof(uint16_t), &x, dtype, 1);
    }
}

/* Packs a panel from a copy of its rows, if the checkpoint has another order or type. numbers: where they
 * are, if they are plain. */
static void pack_staged(packing *job, void *to, size_t panel, const stored_numbers *numbers)
{
    const plan_weight *w = job->from;
    const assay_matrix *m = &job->to->packed;
    const size_t bytes = dtype_size(m->dtype), first = panel * m->panel;
    const size_t n_rows = w->rows - first < m->panel ? w->rows - first : m->panel;
    char *rows = malloc(n_rows * w->cols * bytes);
    float *wide = malloc(w->cols * sizeof *wide);
    for (size_t r = 0; rows && wide && r < n_rows; r++) {
        char *row = rows + r * w->cols * bytes;
        if (!numbers) fp_repack_f32(&w->stored, first + r, 1, wide);
        const char *from = !numbers ? (const char *)wide
                                    : (const char *)numbers->data +
                                          (first + r) * numbers->row_stride * dtype_size(numbers->dtype);
        convert_row(row, m->dtype, from, numbers ? numbers->dtype : ASSAY_F32,
                    numbers ? numbers->col_stride : 1, w->cols, wide, job->kernels);
    }
    if (rows && wide) {
        const assay_weight staged = {
            .n_out = n_rows, .n_in = w->cols, .dtype = m->dtype, .rows = rows, .stride = w->cols};
        job->to->kernel->pack(to, &staged, 0);
    } else {
        atomic_store(&job->failed, true);
    }
    free(rows);
    free(wide);
}

/* The kind of a packed matrix, for a kernel's panel_bytes and pack. */
static assay_weight kind_of(const assay_matrix *m)
{
    return (assay_weight){.n_out = m->n_out,
                          .n_in = m->n_in,
                          .dtype = m->dtype,
                          .bits = m->bits,
                          .group = m->group,
                          .scale_dtype = m->scale_dtype,
                          .bias_dtype = m->bias_dtype};
}

/* Packs a panel of codes, which are copied into groups first. */
static void pack_repacked(packing *job, char *to, size_t panel)
{
    const plan_weight *w = job->from;
    const assay_matrix *m = &job->to->packed;
    const size_t first = panel * m->panel, left = w->rows - first;
    assay_weight groups = kind_of(m);
    void *memory = NULL;
    if (fp_has_supers(m->dtype)) {
        fp_stored_pack(to, &w->stored, panel, &groups);
        return;
    }
    if (!fp_repack_rows(&w->stored, job->to->order, first, left < m->panel ? left : m->panel, &groups,
                        &memory)) {
        atomic_store(&job->failed, true);
        return;
    }
    if (fp_has_table(m->dtype)) {
        fp_repack_table(&w->stored, &groups, (float *)(void *)to);
        to += fp_table_bytes(m->dtype, m->bits);
        groups.dtype = ASSAY_U32;
    }
    job->to->kernel->pack(to, &groups, 0);
    free(memory);
}

/* The weight as a kernel's pack function takes it from where it is; false: it must be copied first. */
static bool describe_in_place(const plan_weight *w, assay_weight *is)
{
    stored_numbers numbers;
    affine groups;
    const void *codes = NULL;
    *is = (assay_weight){.n_out = w->rows, .n_in = w->cols, .dtype = ASSAY_U32};
    if (stored_as_affine(&w->stored, &groups, &codes)) {
        is->bits = groups.bits;
        is->group = groups.group;
        is->rows = codes;
        is->stride = affine_words(w->cols, groups.bits);
        is->scales = groups.scales;
        is->biases = groups.biases;
        is->scale_dtype = groups.scale_dtype;
        is->bias_dtype = groups.bias_dtype;
        return true;
    }
    if (!stored_as_numbers(&w->stored, &numbers)) return false;
    is->dtype = numbers.dtype;
    is->rows = numbers.data;
    is->stride = numbers.row_stride;
    return numbers.col_stride == 1;
}

static void pack_panel(void *context, size_t panel)
{
    packing *job = context;
    const assay_matrix *m = &job->to->packed;
    char *to = (char *)m->panels + panel * m->panel_bytes;
    stored_numbers numbers;
    assay_weight w;
    if (job->to->run_stored) job->to->stored_kernel->pack(to, &job->from->stored, panel);
    else if (describe_in_place(job->from, &w) && m->dtype == w.dtype) job->to->kernel->pack(to, &w, panel);
    else if (m->bits) pack_repacked(job, to, panel);
    else pack_staged(job, to, panel, stored_as_numbers(&job->from->stored, &numbers) ? &numbers : NULL);
}

/* An order of columns, kept once. */
static const int32_t *keep_order(fp_packer *p, const int32_t *order, size_t n)
{
    for (fp_order *o = p->orders; o; o = o->next)
        if (o->n == n && memcmp(o->column, order, n * sizeof *order) == 0) return o->column;
    fp_order *kept = fp_pack_alloc(p, 1, sizeof *kept + n * sizeof *order);
    if (!kept) return NULL;
    kept->next = p->orders;
    kept->n = n;
    memcpy(kept->column, order, n * sizeof *order);
    p->orders = kept;
    return kept->column;
}

/* Orders the columns of a matrix by group: sets m->order, and returns the group's width. 0: none. */
static size_t order_columns(fp_packer *p, const plan_weight *w, fp_matrix *m)
{
    int32_t *order = malloc(w->cols * sizeof *order);
    size_t group = order ? fp_form_order(&w->stored, order) : 0;
    if (!order) p->is_short = true;
    if (group && !(m->order = keep_order(p, order, w->cols))) group = 0;
    free(order);
    return group;
}

/* Chooses panels of codes for a matrix that is neither plain numbers nor affine groups of the ABI. */
static bool choose_codes(fp_packer *p, const plan_weight *w, bool may_order, fp_matrix *m)
{
    const fp_form_rule rule = p->kernels->outside                     ? FP_FORM_ABI
                              : p->compute == ASSAY_F32 && !p->inputs ? FP_FORM_OWN
                                                                      : FP_FORM_INTEGERS;
    const size_t group = w->stored.group_of && may_order ? order_columns(p, w, m) : 0;
    assay_weight is;
    if (!fp_form_choose(&w->stored, rule, group, &is)) {
        m->order = NULL;
        if (p->widened.n++ == 0)
            p->widened = (fp_widened){1, w->stored.format, w->name, fp_form_misfit(&w->stored, rule)};
        return false;
    }
    m->packed.dtype = is.dtype;
    m->packed.bits = is.bits;
    m->packed.group = is.group;
    m->packed.scale_dtype = is.scale_dtype;
    m->packed.bias_dtype = is.bias_dtype;
    return true;
}

/* Takes the kernels of a library that has some for the matrix. */
static bool choose_stored(fp_packer *p, const plan_weight *w, fp_matrix *m)
{
    const assay_matmul_stored *kernel = &p->kernels->op.matmul_stored;
    if (!p->kernels->has_stored || !kernel->supports(&w->stored)) return false;
    assay_stored *from = fp_pack_alloc(p, 1, sizeof *from);
    if (from) *from = fp_form_description(&w->stored);
    m->stored.from = from;
    m->stored_kernel = kernel;
    m->x = p->compute == ASSAY_BF16 ? ASSAY_BF16 : ASSAY_F32;
    m->run_stored = m->x == ASSAY_BF16 ? kernel->bf16 : kernel->f32;
    return true;
}

/* Chooses the kernels for a weight, and the type of its rows. may_order: its columns may be reordered. */
static fp_matrix choose_kernels(fp_packer *p, const plan_weight *w, bool may_order)
{
    const fp_operations *op = &p->kernels->op;
    fp_matrix m = {.packed = {.n_out = w->rows, .n_in = w->cols, .dtype = ASSAY_F32}};
    assay_weight is;
    if (!w->data) return m;
    const bool is_plain = fp_form_is_plain(&w->stored, &m.packed.dtype);
    if (!is_plain && describe_in_place(w, &is)) {
        m.packed.dtype = is.dtype;
        m.packed.bits = is.bits;
        m.packed.group = is.group;
        m.packed.scale_dtype = is.scale_dtype;
        m.packed.bias_dtype = is.bias_dtype;
    } else if (!is_plain && choose_stored(p, w, &m)) {
        return m;
    }
    if (m.packed.bits || (!is_plain && choose_codes(p, w, may_order, &m))) {
        m.kernel = &op->matmul_affine;
        m.x = fp_has_table(m.packed.dtype) && p->compute == ASSAY_I8 ? ASSAY_F32 : p->compute;
    } else {
        if (p->compute == ASSAY_BF16) m.packed.dtype = ASSAY_BF16;
        else if (m.packed.dtype == ASSAY_F64) m.packed.dtype = ASSAY_F32;
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
                      m->stored_kernel  ? "stored"
                      : m->packed.bits  ? "affine"
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

static bool has_product(const fp_matrix *m)
{
    return m->stored_kernel ? m->run_stored != NULL : m->run != NULL;
}

static assay_status make_panels(void *context, array *self, array *const *inputs, assay_error *err)
{
    const packed_matrix *job = context;
    fp_packer *p = job->packer;
    fp_matrix m = *job->to;
    (void)inputs;
    if (!has_product(&m)) return fail_without_product(p, &m, err);
    packing work = {.from = job->from, .to = &m, .kernels = p->kernels};
    atomic_init(&work.failed, false);
    m.packed.panels = m.stored.panels = allocate_panels(p, array_bytes(self));
    if (m.packed.panels)
        fp_pool_run(p->pool, fp_matrix_panels(&m.packed), m.packed.panel * job->from->cols, pack_panel,
                    &work);
    if (!m.packed.panels || atomic_load(&work.failed) || !fp_pack_minimums(p, &m, job->from))
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
    if (!has_product(m)) return 0;
    const assay_weight shape = kind_of(&m->packed);
    m->packed.panel = m->stored_kernel ? m->stored_kernel->panel : m->kernel->panel;
    m->packed.panel_bytes =
        m->stored_kernel ? m->stored_kernel->panel_bytes(&w->stored) : m->kernel->panel_bytes(&shape);
    m->stored.panel = m->packed.panel;
    m->stored.panel_bytes = m->packed.panel_bytes;
    const size_t n = fp_matrix_panels(&m->packed), bytes = m->packed.panel_bytes;
    return n <= (SIZE_MAX - HUGE_PAGE) / bytes ? n * bytes : 0;
}

static void pack_matrix(fp_packer *p, fp_matrix *to, const plan_weight *from, bool may_order)
{
    *to = choose_kernels(p, from, may_order);
    if (!from->data) return;
    fp_pack_inputs(p, to, from);
    if (from->cols > p->widest) p->widest = from->cols;
    if (to->order && from->cols > p->widest_ordered) p->widest_ordered = from->cols;
    packed_matrix *job = fp_pack_alloc(p, 1, sizeof *job);
    if (!job) return;
    *job = (packed_matrix){p, from, to};
    (void)array_list_defer(p->arrays, from->name, false, panels_bytes(to, from),
                           (array_maker){make_panels, job, NULL}, NULL, 0);
}

void fp_pack_matrix(fp_packer *p, fp_matrix *to, const plan_weight *from)
{
    pack_matrix(p, to, from, true);
}

void fp_pack_table(fp_packer *p, fp_matrix *to, const plan_weight *from)
{
    pack_matrix(p, to, from, false);
}

void fp_pack_linear(fp_packer *p, fp_linear *to, const plan_linear *from)
{
    fp_pack_matrix(p, &to->weight, &from->weight);
    fp_pack_vector(p, &to->bias, &from->bias);
}

void fp_matrix_unpack(const fp_matrix *m, size_t o, float *row)
{
    if (m->stored_kernel) m->stored_kernel->unpack(row, &m->stored, o);
    else m->kernel->unpack(row, &m->packed, o);
}
