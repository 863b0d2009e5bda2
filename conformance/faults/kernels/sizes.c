/* Faults of kernels that show only beyond some size: what lies beyond it is left out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/faults/kernels/fault.h"

/* Attends to no key from position n_keys on. */
static void attend_to_few_keys(const assay_attention_call *c, size_t n_keys, assay_attention_fn *correct)
{
    size_t *first = fault_copy(c->first, c->n_rows * sizeof *first),
           *last = fault_copy(c->last, c->n_rows * sizeof *last);
    assay_attention_call shorter = *c;
    for (size_t r = 0; r < c->n_rows; r++) {
        if (last[r] >= n_keys) last[r] = n_keys - 1;
        if (first[r] > last[r]) first[r] = last[r];
    }
    shorter.first = first;
    shorter.last = last;
    correct(&shorter);
    free(first);
    free(last);
}

static void attend_to_320_keys(const assay_attention_call *c)
{
    attend_to_few_keys(c, 320, CORRECT.attention_f32.f32);
}

static void attend_to_384_keys(const assay_attention_call *c)
{
    attend_to_few_keys(c, 384, CORRECT.attention_bf16.f32);
}

static void attend_to_512_keys(const assay_attention_call *c)
{
    attend_to_few_keys(c, 512, CORRECT.attention_f32.f32);
}

static void attend_to_100000_keys(const assay_attention_call *c)
{
    attend_to_few_keys(c, 100000, CORRECT.attention_bf16.f32);
}

void plant_keys_320(fp_operations *op)
{
    op->attention_f32.f32 = attend_to_320_keys;
}

void plant_keys_384(fp_operations *op)
{
    op->attention_bf16.f32 = op->attention_bf16.bf16_shares = attend_to_384_keys;
}

void plant_keys_512(fp_operations *op)
{
    op->attention_f32.f32 = attend_to_512_keys;
}

void plant_keys_100000(fp_operations *op)
{
    op->attention_bf16.f32 = attend_to_100000_keys;
}

enum { FEW_HEADS = 32 };

/* Heads from 32 on have the result of the last head before them. */
static void attend_with_32_heads(const assay_attention_call *c)
{
    CORRECT.attention_f32.f32(c);
    for (size_t r = 0; r < c->n_rows; r++)
        for (size_t h = FEW_HEADS; h < c->n_heads; h++) {
            float *out = c->out + r * c->ld_out;
            memcpy(out + h * c->head_dim, out + (FEW_HEADS - 1) * c->head_dim, c->head_dim * sizeof *out);
        }
}

static void rotate_32_heads(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                            const float *cosine, const float *sine)
{
    CORRECT.rope.f32(x, n_heads < FEW_HEADS ? n_heads : FEW_HEADS, head_dim, dim, adjacent, cosine, sine);
}

void plant_heads_32(fp_operations *op)
{
    op->attention_f32.f32 = attend_with_32_heads;
    op->rope.f32 = rotate_32_heads;
}

/* Chooses no expert from n_compared on, unless there are too few before. */
static void route_to_few(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                         size_t n_active, bool renormalize, size_t n_compared)
{
    const size_t n = n_experts < n_compared ? n_experts : n_compared;
    for (size_t r = 0; r < n_rows; r++)
        CORRECT.router.f32(chosen + r * n_active, share + r * n_active, scores + r * n_experts, 1, n,
                           n_active, renormalize);
}

static void route_to_160(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                         size_t n_active, bool renormalize)
{
    route_to_few(chosen, share, scores, n_rows, n_experts, n_active, renormalize, 160);
}

static void route_to_256(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                         size_t n_active, bool renormalize)
{
    route_to_few(chosen, share, scores, n_rows, n_experts, n_active, renormalize, 256);
}

void plant_experts_160(fp_operations *op)
{
    op->router.f32 = route_to_160;
}

void plant_experts_256(fp_operations *op)
{
    op->router.f32 = route_to_256;
}

/* The shares of the chosen experts after the sixteenth are 0. */
static void route_to_16_active(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                               size_t n_active, bool renormalize)
{
    CORRECT.router.f32(chosen, share, scores, n_rows, n_experts, n_active, renormalize);
    for (size_t r = 0; r < n_rows; r++)
        for (size_t k = 16; k < n_active; k++) share[r * n_active + k] = 0;
}

void plant_active_16(fp_operations *op)
{
    op->router.f32 = route_to_16_active;
}

enum { PART = 8192 };

/* Of inputs that are divided into parts of 8,192, only the first part is summed. */
static void multiply_first_part(const assay_product *p, assay_dtype dtype, assay_product_fn *correct)
{
    const size_t n_in = p->w->n_in, bytes = dtype_size(dtype);
    if (n_in <= PART) {
        correct(p);
        return;
    }
    char *x = fault_copy(p->x, ((p->n_rows - 1) * p->ld_x + n_in) * bytes);
    for (size_t r = 0; r < p->n_rows; r++) memset(x + (r * p->ld_x + PART) * bytes, 0, (n_in - PART) * bytes);
    assay_product first = *p;
    first.x = x;
    correct(&first);
    free(x);
}

static void multiply_bf16_in_parts(const assay_product *p)
{
    multiply_first_part(p, ASSAY_BF16, CORRECT.matmul_bf16.bf16);
}

static void multiply_codes_in_parts(const assay_product *p)
{
    multiply_first_part(p, ASSAY_I8, CORRECT.matmul_affine.i8);
}

void plant_inputs_8192(fp_operations *op)
{
    op->matmul_bf16.bf16 = multiply_bf16_in_parts;
    op->matmul_affine.i8 = multiply_codes_in_parts;
}

/* Writes no output from 16,384 on. */
static void multiply_few_outputs(const assay_product *p)
{
    const size_t most = 16384 / p->w->panel;
    assay_product few = *p;
    if (p->first_panel >= most) return;
    if (few.n_panels > most - p->first_panel) few.n_panels = most - p->first_panel;
    CORRECT.matmul_f16.f32(&few);
}

void plant_outputs_16384(fp_operations *op)
{
    op->matmul_f16.f32 = multiply_few_outputs;
}

static void norm_of_16384(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                          const float *weight, double epsilon)
{
    CORRECT.rms_norm.f32(y, ld_y, x, ld_x, n_rows, width < 16384 ? width : 16384, weight, epsilon);
}

void plant_width_16384(fp_operations *op)
{
    op->rms_norm.f32 = norm_of_16384;
}

static void gate_65536(float *y, const float *gate, const float *up, size_t n, assay_activation activation)
{
    CORRECT.gate.f32(y, gate, up, n < 65536 ? n : 65536, activation);
}

void plant_elements_65536(fp_operations *op)
{
    op->gate.f32 = gate_65536;
}
