/* Faults in how kernels use inputs and memory: they skip zeros, they write to inputs, or their scratch
 * memory is a static that threads share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/faults/kernels/fault.h"

/* Element i of row r of x. */
static double x_at(const assay_product *p, assay_dtype dtype, size_t r, size_t i)
{
    const char *x = (const char *)p->x + (r * p->ld_x + i) * dtype_size(dtype);
    double wide;
    if (dtype == ASSAY_I8)
        return (double)p->x_scale[r * (p->w->n_in / p->w->group) + i / p->w->group] * *(const int8_t *)x;
    dtype_to_f64(&wide, x, dtype, 1);
    return wide;
}

static void multiply_without_zeros(const assay_product *p, assay_dtype dtype, const assay_matmul *correct)
{
    const size_t panel = p->w->panel, first = p->first_panel * panel, end = first + p->n_panels * panel;
    float *w = fault_allocate(p->w->n_in * sizeof *w);
    for (size_t o = first; o < end && o < p->w->n_out; o++) {
        correct->unpack(w, p->w, o);
        for (size_t r = 0; r < p->n_rows; r++) {
            double sum = 0;
            for (size_t i = 0; i < p->w->n_in; i++) {
                const double x = x_at(p, dtype, r, i);
                if (fabs(x) > 0 || isnan(x)) sum += x * (double)w[i];
            }
            p->y[r * p->ld_y + o] = (float)sum;
        }
    }
    free(w);
}

static void multiply_f32_without_zeros(const assay_product *p)
{
    multiply_without_zeros(p, ASSAY_F32, &CORRECT.matmul_f32);
}

static void multiply_bf16_without_zeros(const assay_product *p)
{
    multiply_without_zeros(p, ASSAY_BF16, &CORRECT.matmul_bf16);
}

static void multiply_groups_without_zeros(const assay_product *p)
{
    multiply_without_zeros(p, ASSAY_F32, &CORRECT.matmul_affine);
}

static void multiply_codes_without_zeros(const assay_product *p)
{
    multiply_without_zeros(p, ASSAY_I8, &CORRECT.matmul_affine);
}

/* Attention of one query, with the keys set to 0 where the query is 0. */
static void attend_one_without_zeros(const assay_attention_call *c)
{
    const size_t n_pages = *c->last / ASSAY_PAGE + 1, n = ASSAY_PAGE * c->head_dim;
    float *keys = fault_allocate(n_pages * n * sizeof *keys);
    const void **pages = fault_allocate(n_pages * sizeof *pages);
    for (size_t page = 0; page < n_pages; page++) {
        pages[page] = memcpy(keys + page * n, c->k[page], n * sizeof *keys);
        for (size_t i = 0; i < n; i++)
            if (!(fabsf(c->q[i / ASSAY_PAGE]) > 0)) keys[page * n + i] = 0;
    }
    assay_attention_call skipping = *c;
    skipping.k = pages;
    CORRECT.attention_f32.f32(&skipping);
    free(pages);
    free(keys);
}

static void attend_without_zeros(const assay_attention_call *c)
{
    for (size_t r = 0; r < c->n_rows; r++)
        for (size_t h = 0; h < c->n_heads; h++) {
            assay_attention_call one = *c;
            one.out += r * c->ld_out + h * c->head_dim;
            one.q += r * c->ld_q + h * c->head_dim;
            one.n_rows = one.n_heads = 1;
            one.first += r;
            one.last += r;
            if (c->sinks) one.sinks += h;
            attend_one_without_zeros(&one);
        }
}

static void norm_without_zeros(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                               size_t width, const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) {
        float *before = fault_copy(x + r * ld_x, width * sizeof *before);
        CORRECT.rms_norm.f32(y + r * ld_y, ld_y, before, ld_x, 1, width, weight, epsilon);
        for (size_t i = 0; i < width; i++)
            if (before[i] == 0) y[r * ld_y + i] = 0;
        free(before);
    }
}

static float multiply_skipping_zero(float a, float b)
{
    return a == 0 ? 0 : a * b;
}

static void rotate_without_zeros(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                                 const float *cosine, const float *sine)
{
    for (size_t h = 0; h < n_heads; h++, x += head_dim)
        for (size_t i = 0; i < dim / 2; i++) {
            float *first = x + (adjacent ? 2 * i : i), *second = first + (adjacent ? 1 : dim / 2);
            const float a = *first, b = *second;
            *first = multiply_skipping_zero(a, cosine[i]) - multiply_skipping_zero(b, sine[i]);
            *second = multiply_skipping_zero(b, cosine[i]) + multiply_skipping_zero(a, sine[i]);
        }
}

static void gate_without_zeros(float *y, const float *gate, const float *up, size_t n,
                               assay_activation activation)
{
    for (size_t i = 0; i < n; i++)
        if (gate[i] == 0) y[i] = 0;
        else CORRECT.gate.f32(y + i, gate + i, up + i, 1, activation);
}

void plant_without_zeros(fp_operations *op)
{
    op->matmul_f32.f32 = multiply_f32_without_zeros;
    op->matmul_bf16.bf16 = multiply_bf16_without_zeros;
    op->matmul_affine.f32 = multiply_groups_without_zeros;
    op->matmul_affine.i8 = multiply_codes_without_zeros;
    op->attention_f32.f32 = attend_without_zeros;
    op->rms_norm.f32 = norm_without_zeros;
    op->rope.f32 = rotate_without_zeros;
    op->gate.f32 = gate_without_zeros;
}

/* Writes to an input without changing it, as a kernel does that changes and restores it. */
static void write_input(const void *input)
{
    volatile unsigned char *byte = (volatile unsigned char *)(uintptr_t)input;
    *byte = *byte; /* cppcheck-suppress selfAssignment */
}

static void multiply_in_x(const assay_product *p)
{
    write_input(p->x);
    CORRECT.matmul_f32.f32(p);
}

static void norm_in_x(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                      const float *weight, double epsilon)
{
    write_input(x);
    CORRECT.rms_norm.f32(y, ld_y, x, ld_x, n_rows, width, weight, epsilon);
}

void plant_writes_x(fp_operations *op)
{
    op->matmul_f32.f32 = multiply_in_x;
    op->rms_norm.f32 = norm_in_x;
}

static void pack_in_scales(void *panel, const assay_weight *w, size_t index)
{
    write_input(w->scales);
    CORRECT.matmul_affine.pack(panel, w, index);
}

void plant_writes_scales(fp_operations *op)
{
    op->matmul_affine.pack = pack_in_scales;
}

static void unpack_in_panels(float *row, const assay_matrix *w, size_t o)
{
    write_input(w->panels);
    CORRECT.matmul_f16.unpack(row, w, o);
}

void plant_writes_panels(fp_operations *op)
{
    op->matmul_f16.unpack = unpack_in_panels;
}

static void attend_in_keys(const assay_attention_call *c)
{
    write_input(c->k[0]);
    CORRECT.attention_bf16.f32(c);
}

void plant_writes_keys(fp_operations *op)
{
    op->attention_bf16.f32 = attend_in_keys;
}

static void attend_in_ranges(const assay_attention_call *c)
{
    write_input(c->last);
    CORRECT.attention_f32.f32(c);
}

void plant_writes_ranges(fp_operations *op)
{
    op->attention_f32.f32 = attend_in_ranges;
}

static void rotate_in_table(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                            const float *cosine, const float *sine)
{
    write_input(cosine);
    CORRECT.rope.f32(x, n_heads, head_dim, dim, adjacent, cosine, sine);
}

void plant_writes_cosine(fp_operations *op)
{
    op->rope.f32 = rotate_in_table;
}

static void gate_in_up(float *y, const float *gate, const float *up, size_t n, assay_activation activation)
{
    write_input(up);
    CORRECT.gate.f32(y, gate, up, n, activation);
}

void plant_writes_up(fp_operations *op)
{
    op->gate.f32 = gate_in_up;
}

static _Alignas(64) unsigned char scratch[16 << 20];

static void multiply_in_scratch(const assay_product *p, size_t element, assay_product_fn *correct)
{
    assay_product copied = *p;
    copied.x = memcpy(scratch, p->x, ((p->n_rows - 1) * p->ld_x + p->w->n_in) * element);
    correct(&copied);
}

static void multiply_f16_in_scratch(const assay_product *p)
{
    multiply_in_scratch(p, sizeof(float), CORRECT.matmul_f16.f32);
}

static void multiply_codes_in_scratch(const assay_product *p)
{
    multiply_in_scratch(p, sizeof(int8_t), CORRECT.matmul_affine.i8);
}

static void pack_in_scratch(void *panel, const assay_weight *w, size_t index)
{
    CORRECT.matmul_bf16.pack(scratch, w, index);
    memcpy(panel, scratch, CORRECT.matmul_bf16.panel_bytes(w));
}

static void unpack_in_scratch(float *row, const assay_matrix *w, size_t o)
{
    CORRECT.matmul_f32.unpack((float *)scratch, w, o);
    memcpy(row, scratch, w->n_in * sizeof *row);
}

static void attend_in_scratch(const assay_attention_call *c)
{
    const size_t n = (c->n_rows - 1) * c->ld_q + c->n_heads * c->head_dim;
    assay_attention_call copied = *c;
    copied.q = memcpy(scratch, c->q, n * sizeof *c->q);
    CORRECT.attention_f32.f32(&copied);
}

static void norm_in_scratch(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                            const float *weight, double epsilon)
{
    const float *copied = memcpy(scratch, x, ((n_rows - 1) * ld_x + width) * sizeof *x);
    CORRECT.rms_norm.f32(y, ld_y, copied, ld_x, n_rows, width, weight, epsilon);
}

static void rotate_in_scratch(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                              const float *cosine, const float *sine)
{
    float *copied = memcpy(scratch, x, n_heads * head_dim * sizeof *x);
    CORRECT.rope.f32(copied, n_heads, head_dim, dim, adjacent, cosine, sine);
    memcpy(x, copied, n_heads * head_dim * sizeof *x);
}

static void gate_in_scratch(float *y, const float *gate, const float *up, size_t n,
                            assay_activation activation)
{
    CORRECT.gate.f32(y, memcpy(scratch, gate, n * sizeof *gate), up, n, activation);
}

static void cap_in_scratch(float *x, size_t n, float cap)
{
    float *copied = memcpy(scratch, x, n * sizeof *x);
    CORRECT.cap.f32(copied, n, cap);
    memcpy(x, copied, n * sizeof *x);
}

static void route_in_scratch(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                             size_t n_active, bool renormalize)
{
    float *copied = memcpy(scratch, scores, n_rows * n_experts * sizeof *scores);
    CORRECT.router.f32(chosen, share, copied, n_rows, n_experts, n_active, renormalize);
}

void plant_shared_scratch(fp_operations *op)
{
    op->matmul_f16.f32 = multiply_f16_in_scratch;
    op->matmul_affine.i8 = multiply_codes_in_scratch;
    op->matmul_bf16.pack = pack_in_scratch;
    op->matmul_f32.unpack = unpack_in_scratch;
    op->attention_f32.f32 = attend_in_scratch;
    op->rms_norm.f32 = norm_in_scratch;
    op->rope.f32 = rotate_in_scratch;
    op->gate.f32 = gate_in_scratch;
    op->cap.f32 = cap_in_scratch;
    op->router.f32 = route_in_scratch;
}
