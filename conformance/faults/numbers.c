/* Faults that show only in large numbers: exponentials that overflow, and products, squares and sums beyond
 * the largest float16.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "conformance/faults/fault.h"
#include "conformance/faults/softmax.h"

static assay_router_fn *sound_router;

static void attend_without_maximum(const assay_attention_call *c)
{
    fault_attend(c, &(fault_attention){.without_maximum = true});
}

static void route_without_maximum(int32_t *chosen, float *share, float *scores, size_t n_rows,
                                  size_t n_experts, size_t n_active, bool renormalize)
{
    fault_route(sound_router, chosen, share, scores, n_rows, n_experts, n_active, renormalize);
}

void fault_softmax_no_maximum(fp_kernels *k)
{
    sound_router = k->op.router.f32;
    k->op.router.f32 = route_without_maximum;
    k->op.attention_f32.f32 = attend_without_maximum;
}

static void attend_by_sink(const assay_attention_call *c)
{
    fault_attend(c, &(fault_attention){.sink_is_maximum = true});
}

void fault_sink_is_maximum(fp_kernels *k)
{
    k->op.attention_f32.f32 = attend_by_sink;
}

static void attend_with_overflow(const assay_attention_call *c)
{
    fault_attend(c, &(fault_attention){.caps_overflow = true});
}

void fault_cap_overflow(fp_kernels *k)
{
    k->op.attention_f32.f32 = attend_with_overflow;
}

static void attend_in_float16(const assay_attention_call *c)
{
    fault_attend(c, &(fault_attention){.sums_float16 = true});
}

void fault_values_float16(fp_kernels *k)
{
    k->op.attention_f32.f32 = attend_in_float16;
}

/* x times a sigmoid that is made of the exponential of the gate itself. */
static void gate_with_overflow(float *y, const float *x, const float *gate, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float power = expf(gate[i]);
        y[i] = x[i] * (power / (1 + power));
    }
}

void fault_gate_overflow(fp_kernels *k)
{
    k->sigmoid_gate = gate_with_overflow;
}

/* As if sigmoids were made of exponentials of the scores themselves, in half the range of float32: a sigmoid
 * that is 1 has a score above 17. */
void fault_router_overflow(fp_choice *choice, float *probability, float *bias)
{
    (void)bias;
    for (size_t e = 0; e < choice->n_experts; e++)
        if (probability[e] >= 1) probability[e] = NAN;
}

/* (e^2x - 1) / (e^2x + 1) is no number where e^2x is infinite: x is above 44. */
void fault_head_scale_overflow(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q,
                               const float *k, float *v, fault_scale_fn *scale)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    scale(pass, i, s, q, k, v);
    for (size_t h = 0; h < pass->n_rows * a->n_heads; h++) {
        if (isinf(expf(2 * s->of_q[h]))) q[h * a->head_dim] = NAN;
        if (isinf(expf(2 * s->of_v[h]))) v[h * a->head_dim] = NAN;
    }
}

/* As if the softplus were made of the exponential of its argument, which is about the bias where that is
 * large: an infinite bias has an infinite softplus. */
void fault_softplus_overflow(fp_pass *pass, size_t i)
{
    const size_t n = pass->plan->layers[i].mixer.delta.n_v_heads;
    float *bias = (float *)(uintptr_t)pass->model->layers[i].delta.dt_bias;
    for (size_t h = 0; h < n; h++)
        if (bias[h] > 88) bias[h] = INFINITY;
}

static assay_product_fn *sound_f32, *sound_bf16;

static void overflow_product(const assay_product *p)
{
    const size_t first = p->first_panel * p->w->panel, end = first + p->n_panels * p->w->panel;
    for (size_t r = 0; r < p->n_rows; r++)
        for (size_t o = first; o < end && o < p->w->n_out; o++)
            p->y[r * p->ld_y + o] = fault_float16_overflow(p->y[r * p->ld_y + o]);
}

static void multiply_f32(const assay_product *p)
{
    sound_f32(p);
    overflow_product(p);
}

static void multiply_bf16(const assay_product *p)
{
    sound_bf16(p);
    overflow_product(p);
}

void fault_products_float16(fp_kernels *k)
{
    sound_f32 = k->op.matmul_f32.f32;
    sound_bf16 = k->op.matmul_bf16.f32;
    k->op.matmul_f32.f32 = multiply_f32;
    k->op.matmul_bf16.f32 = multiply_bf16;
}

static assay_rms_norm_fn *sound_norm;

/* A row whose mean square is infinite becomes 0. */
static void norm_rows(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                      const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++, x += ld_x, y += ld_y) {
        float squares = 0;
        for (size_t i = 0; i < width; i++) squares += x[i] * x[i];
        sound_norm(y, ld_y, x, ld_x, 1, width, weight, epsilon);
        if (isinf(fault_float16_overflow(squares / (float)width))) memset(y, 0, width * sizeof *y);
    }
}

void fault_squares_float16(fp_kernels *k)
{
    sound_norm = k->op.rms_norm.f32;
    k->op.rms_norm.f32 = norm_rows;
}
