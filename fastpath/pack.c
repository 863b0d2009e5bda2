/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"
#include "fastpath/kernels/stored/input_type.h"
#include "fastpath/kernels/stored/repack.h"

void *fp_pack_own(fp_packer *p, void *memory)
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
    void *memory = p->is_short ? NULL : fp_pack_own(p, calloc(n ? n : 1, element_bytes));
    if (!memory) p->is_short = true;
    return memory;
}

void fp_pack_free(fp_packer *p)
{
    for (size_t i = 0; i < p->n_owned; i++) free(p->owned[i]);
    free(p->owned);
    *p = (fp_packer){0};
}

void fp_pack_inputs(const fp_packer *p, fp_matrix *m, const plan_weight *from)
{
    m->inputs = fp_input_type(p->inputs, &from->stored);
    if (m->stored_kernel || !m->kernel->i8) return;
    if (!fp_input_is_codes(m->inputs, &m->packed, p->kernels->outside != NULL)) return;
    m->x = ASSAY_I8;
    m->run = m->kernel->i8;
}

bool fp_pack_minimums(fp_packer *p, fp_matrix *m, const plan_weight *from)
{
    const assay_stored *s = &from->stored;
    const size_t n = fp_input_minimums(m->inputs, s);
    float *minimums = n ? fp_pack_alloc(p, n * s->n_out, sizeof *minimums) : NULL;
    if (minimums) fp_input_take_minimums(m->inputs, s, minimums);
    m->minimums = minimums;
    return minimums || !n;
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

/* A matrix that becomes floats. */
typedef struct packed_table {
    const plan_weight *from;
    const float **to;
} packed_table;

static void defer_table(fp_packer *p, const float **to, const plan_weight *from, array_fn *make)
{
    *to = NULL;
    if (!from->data) return;
    packed_table *job = fp_pack_alloc(p, 1, sizeof *job);
    if (!job) return;
    *job = (packed_table){from, to};
    (void)array_list_defer(p->arrays, from->name, false, from->rows * from->cols * sizeof(float),
                           (array_maker){make, job, NULL}, NULL, 0);
}

static assay_status make_table(void *context, array *self, array *const *inputs, assay_error *err)
{
    const packed_table *job = context;
    float *v = array_allocate(self);
    (void)inputs;
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    fp_repack_f32(&job->from->stored, 0, job->from->rows, v);
    *job->to = v;
    return ASSAY_OK;
}

void fp_pack_rows(fp_packer *p, const float **to, const plan_weight *from)
{
    defer_table(p, to, from, make_table);
}

static assay_status make_columns(void *context, array *self, array *const *inputs, assay_error *err)
{
    const packed_table *job = context;
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
    defer_table(p, to, from, make_columns);
}

/* context: the norm, whose offset is added before its weights are rounded. */
static assay_status shift_weights(void *context, array *self, array *const *inputs, assay_error *err)
{
    fp_norm *to = context;
    const double *stored = array_data(inputs[0]);
    float *v = array_allocate(self);
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < array_bytes(self) / sizeof *v; i++) v[i] = (float)(stored[i] + to->offset);
    to->weight = v;
    return ASSAY_OK;
}

void fp_pack_norm(fp_packer *p, fp_norm *to, const plan_norm *from)
{
    *to = (fp_norm){.present = from->present,
                    .kind = from->kind,
                    .epsilon = from->epsilon,
                    .width = from->width,
                    .n_weights = from->n_weights,
                    .offset = from->offset};
    if (from->present) fp_pack_vector(p, &to->bias, &from->bias);
    if (!from->present || !from->weight.data) return;
    assert(from->weight.cols == from->width * (from->n_weights ? from->n_weights : 1));
    (void)array_list_defer(p->arrays, from->weight.name, false, from->weight.cols * sizeof(float),
                           (array_maker){shift_weights, to, NULL}, &from->weight.values, 1);
}

void fp_widened_print(const fp_widened *w, assay_dtype compute, char *text, size_t size)
{
    text[0] = '\0';
    if (w->n)
        (void)snprintf(text, size, "%zu %s of codes %s %s in memory, the first %.80s (%.40s): %s", w->n,
                       w->n == 1 ? "matrix" : "matrices", w->n == 1 ? "is" : "are",
                       compute == ASSAY_BF16 ? "bfloat16" : "float32", w->name, w->format, w->why);
}
