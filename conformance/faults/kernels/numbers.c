/* Faults of kernels that show only in large numbers: exponentials without the maximum of the scores, and
 * sums, squares and products beyond the largest float16.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "conformance/faults/kernels/fault.h"
#include "conformance/faults/softmax.h"

static void attend_without_maximum(const assay_attention_call *c)
{
    fault_attend(c, &(fault_attention){.without_maximum = true});
}

static void attend_in_float16(const assay_attention_call *c)
{
    fault_attend(c, &(fault_attention){.sums_float16 = true});
}

static void route_without_maximum(int32_t *chosen, float *share, float *scores, size_t n_rows,
                                  size_t n_experts, size_t n_active, bool renormalize)
{
    fault_route(CORRECT.router.f32, chosen, share, scores, n_rows, n_experts, n_active, renormalize);
}

void plant_softmax_no_maximum(fp_operations *op)
{
    op->attention_f32.f32 = attend_without_maximum;
    op->router.f32 = route_without_maximum;
}

static void overflow_outputs(const assay_product *p)
{
    const size_t first = p->first_panel * p->w->panel, end = first + p->n_panels * p->w->panel;
    for (size_t r = 0; r < p->n_rows; r++)
        for (size_t o = first; o < end && o < p->w->n_out; o++)
            p->y[r * p->ld_y + o] = fault_float16_overflow(p->y[r * p->ld_y + o]);
}

static void multiply_f32_in_float16(const assay_product *p)
{
    CORRECT.matmul_f32.f32(p);
    overflow_outputs(p);
}

/* The mean of squares is infinite beyond the largest float16. */
static void norm_in_float16(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                            const float *weight, double epsilon)
{
    for (size_t r = 0; r < n_rows; r++) {
        double squares = 0;
        for (size_t i = 0; i < width; i++) squares += (double)x[r * ld_x + i] * (double)x[r * ld_x + i];
        CORRECT.rms_norm.f32(y + r * ld_y, ld_y, x + r * ld_x, ld_x, 1, width, weight, epsilon);
        const bool overflows = isfinite(squares) && squares > 65504.0 * (double)width;
        for (size_t i = 0; overflows && i < width; i++) y[r * ld_y + i] = 0;
    }
}

static void gate_in_float16(float *y, const float *gate, const float *up, size_t n,
                            assay_activation activation)
{
    CORRECT.gate.f32(y, gate, up, n, activation);
    for (size_t i = 0; i < n; i++) y[i] = fault_float16_overflow(y[i]);
}

void plant_sum_float16(fp_operations *op)
{
    op->matmul_f32.f32 = multiply_f32_in_float16;
    op->attention_f32.f32 = attend_in_float16;
    op->rms_norm.f32 = norm_in_float16;
    op->gate.f32 = gate_in_float16;
}
