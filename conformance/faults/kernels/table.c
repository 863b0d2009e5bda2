/* Each fault wraps the kernel that it breaks; CORRECT has the correct kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/kernels/fault.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"

fp_operations CORRECT;

void *fault_allocate(size_t n_bytes)
{
    void *made = malloc(n_bytes);
    if (!made) abort();
    return made;
}

void *fault_copy(const void *from, size_t n_bytes)
{
    return memcpy(fault_allocate(n_bytes), from, n_bytes);
}

static void drop_last_output(const assay_product *p)
{
    const size_t panel = p->w->panel, last = p->w->n_out - 1;
    CORRECT.matmul_bf16.f32(p);
    if (last / panel < p->first_panel || last / panel >= p->first_panel + p->n_panels) return;
    for (size_t r = 0; r < p->n_rows; r++) p->y[r * p->ld_y + last] = 0;
}

static void plant_last_output(fp_operations *op)
{
    op->matmul_bf16.f32 = drop_last_output;
}

static void pack_with_next_scale(void *panel, const assay_weight *w, size_t index)
{
    const size_t bytes = dtype_size(w->scale_dtype), n = w->n_out * (w->n_in / w->group);
    char *scales = fault_copy(w->scales, n * bytes);
    memmove(scales, scales + bytes, (n - 1) * bytes);
    assay_weight shifted = *w;
    shifted.scales = scales;
    CORRECT.matmul_affine.pack(panel, &shifted, index);
    free(scales);
}

static void plant_next_scale(fp_operations *op)
{
    op->matmul_affine.pack = pack_with_next_scale;
}

static void multiply_with_next_scale(const assay_product *p)
{
    const size_t n = p->n_rows * (p->w->n_in / p->w->group);
    float *scales = fault_copy(p->x_scale, n * sizeof *scales);
    memmove(scales, scales + 1, (n - 1) * sizeof *scales);
    assay_product shifted = *p;
    shifted.x_scale = scales;
    CORRECT.matmul_affine.i8(&shifted);
    free(scales);
}

static void plant_next_x_scale(fp_operations *op)
{
    op->matmul_affine.i8 = multiply_with_next_scale;
}

/* Within the bound, but bits of a row differ between a batch of one and a larger batch. */
static void nudge_rows(const assay_product *p)
{
    CORRECT.matmul_f16.f32(p);
    const size_t o = p->first_panel * p->w->panel;
    if (p->n_rows > 1)
        for (size_t r = 0; r < p->n_rows; r++) {
            float *y = p->y + r * p->ld_y + o;
            if (*y < rintf(*y) || *y > rintf(*y)) *y *= 1 + 0x1p-23F;
        }
}

static void plant_other_bits(fp_operations *op)
{
    op->matmul_f16.f32 = nudge_rows;
}

static void replace_nan(const assay_product *p)
{
    CORRECT.matmul_f32.f32(p);
    for (size_t r = 0; r < p->n_rows; r++)
        for (size_t o = p->first_panel * p->w->panel;
             o < (p->first_panel + p->n_panels) * p->w->panel && o < p->w->n_out; o++)
            if (isnan(p->y[r * p->ld_y + o])) p->y[r * p->ld_y + o] = 0;
}

static void plant_no_nan(fp_operations *op)
{
    op->matmul_f32.f32 = replace_nan;
}

static size_t odd_bytes(const assay_weight *w)
{
    return CORRECT.matmul_f32.panel_bytes(w) + 4;
}

static void plant_odd_bytes(fp_operations *op)
{
    op->matmul_f32.panel_bytes = odd_bytes;
}

static void leave_a_byte(void *panel, const assay_weight *w, size_t index)
{
    unsigned char *bytes = panel, before = bytes[0];
    CORRECT.matmul_f32.pack(panel, w, index);
    bytes[0] = before;
}

static void plant_left_byte(fp_operations *op)
{
    op->matmul_f32.pack = leave_a_byte;
}

static void unpack_next(float *row, const assay_matrix *w, size_t o)
{
    CORRECT.matmul_bf16.unpack(row, w, o + 1 < w->n_out ? o + 1 : o);
}

static void plant_next_row(fp_operations *op)
{
    op->matmul_bf16.unpack = unpack_next;
}

/* Leaves out the last key of each row that has more than one. */
static void drop_last_key(const assay_attention_call *c)
{
    size_t *last = fault_copy(c->last, c->n_rows * sizeof *last);
    assay_attention_call shorter = *c;
    for (size_t r = 0; r < c->n_rows; r++) last[r] -= last[r] > c->first[r];
    shorter.last = last;
    CORRECT.attention_f32.f32(&shorter);
    free(last);
}

static void plant_last_key(fp_operations *op)
{
    op->attention_f32.f32 = drop_last_key;
}

/* Leaves out the last attention sink token. */
static void drop_last_sink(const assay_attention_call *c)
{
    assay_attention_call shorter = *c;
    shorter.sink_tokens -= c->sink_tokens > 0;
    CORRECT.attention_bf16.f32(&shorter);
}

static void plant_sinks_short(fp_operations *op)
{
    op->attention_bf16.f32 = drop_last_sink;
}

static void plant_shares_short(fp_operations *op)
{
    op->attention_bf16.bf16_shares = drop_last_sink;
}

static void norm_without_epsilon(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                                 size_t width, const float *weight, double epsilon)
{
    (void)epsilon;
    CORRECT.rms_norm.f32(y, ld_y, x, ld_x, n_rows, width, weight, 0);
}

static void plant_no_epsilon(fp_operations *op)
{
    op->rms_norm.f32 = norm_without_epsilon;
}

static void norm_too_far(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                         const float *weight, double epsilon)
{
    CORRECT.rms_norm.f32(y, ld_y, x, ld_x, n_rows, width, weight, epsilon);
    y[(n_rows - 1) * ld_y + width] = 0;
}

static void plant_too_far(fp_operations *op)
{
    op->rms_norm.f32 = norm_too_far;
}

static void rotate_back(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                        const float *cosine, const float *sine)
{
    float *negative = fault_copy(sine, dim / 2 * sizeof *sine);
    for (size_t i = 0; i < dim / 2; i++) negative[i] = -sine[i];
    CORRECT.rope.f32(x, n_heads, head_dim, dim, adjacent, cosine, negative);
    free(negative);
}

static void plant_swapped_pair(fp_operations *op)
{
    op->rope.f32 = rotate_back;
}

static void nudge_tail(float *y, const float *gate, const float *up, size_t n, assay_activation activation)
{
    CORRECT.gate.f32(y, gate, up, n, activation);
    if (n > 1) y[n - 1] = nextafterf(y[n - 1], INFINITY);
}

static void plant_other_tail(fp_operations *op)
{
    op->gate.f32 = nudge_tail;
}

static void gate_reads_on(float *y, const float *gate, const float *up, size_t n, assay_activation activation)
{
    volatile float beyond = gate[n];
    (void)beyond;
    CORRECT.gate.f32(y, gate, up, n, activation);
}

static void plant_reads_on(fp_operations *op)
{
    op->gate.f32 = gate_reads_on;
}

static void multiply_forever(const assay_product *p)
{
    (void)p;
    for (;;) (void)pause();
}

static void plant_hang(fp_operations *op)
{
    op->matmul_bf16.f32 = multiply_forever;
}

/* Chooses the later of equal experts: reverses the scores. */
static void route_backwards(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                            size_t n_active, bool renormalize)
{
    for (size_t r = 0; r < n_rows; r++, chosen += n_active, share += n_active, scores += n_experts) {
        float *reversed = fault_copy(scores, n_experts * sizeof *scores),
              *shares = fault_copy(share, n_active * sizeof *share);
        int32_t *numbers = fault_copy(chosen, n_active * sizeof *chosen);
        for (size_t e = 0; e < n_experts; e++) reversed[e] = scores[n_experts - 1 - e];
        CORRECT.router.f32(numbers, shares, reversed, 1, n_experts, n_active, renormalize);
        for (size_t k = 0; k < n_active; k++) {
            chosen[k] = (int32_t)n_experts - 1 - numbers[n_active - 1 - k];
            share[k] = shares[n_active - 1 - k];
        }
        free(reversed);
        free(shares);
        free(numbers);
    }
}

static void plant_later_equal(fp_operations *op)
{
    op->router.f32 = route_backwards;
}

const kernel_fault KERNEL_FAULTS[] = {
    {"last-output", "matmul_bf16.f32", "expected", "the last output of a tail is dropped", plant_last_output},
    {"next-scale", "matmul_affine.pack matmul_affine.f32 matmul_affine.bf16 matmul_affine.i8", "expected",
     "groups have the scale of the next one", plant_next_scale},
    {"next-x-scale", "matmul_affine.i8", "expected", "groups of x have the scale of the next one",
     plant_next_x_scale},
    {"other-bits", "matmul_f16.f32", "when computed again", "rows are not batch-invariant", plant_other_bits},
    {"no-nan", "matmul_f32.f32", "expected", "NaN is swallowed", plant_no_nan},
    {"odd-bytes", "matmul_f32.pack matmul_f32.f32", "panel_bytes: found",
     "panel sizes are not a multiple of the panel", plant_odd_bytes},
    {"left-byte", "matmul_f32.pack", "is not written", "packing leaves a byte unwritten", plant_left_byte},
    {"next-row", "matmul_bf16.pack", "expected", "another output is unpacked", plant_next_row},
    {"last-key", "attention_f32", "expected", "the last key is not seen", plant_last_key},
    {"kept-short", "attention_bf16", "expected", "the last attention sink token is not seen",
     plant_sinks_short},
    {"shares-short", "attention_shares", "expected",
     "with weights of bfloat16 the last attention sink token is not seen", plant_shares_short},
    {"no-epsilon", "rms_norm", "expected", "epsilon is left out", plant_no_epsilon},
    {"too-far", "rms_norm", "past its end", "a rms_norm writes one element too many", plant_too_far},
    {"swapped-pair", "rope", "expected", "pairs are rotated the other way", plant_swapped_pair},
    {"other-tail", "gate.silu gate.gelu", "when computed again", "the last element is rounded otherwise",
     plant_other_tail},
    {"reads-on", "gate.relu", "read or wrote past the end of gate", "a gate reads one element too many",
     plant_reads_on},
    {"hang", "matmul_bf16.f32", "the kernel did not answer within", "a product never returns", plant_hang},
    {"without-zeros",
     "matmul_f32.f32 matmul_bf16.bf16 matmul_affine.f32 matmul_affine.i8 attention_f32 rms_norm rope "
     "gate.silu "
     "gate.relu",
     "expected", "zeros are skipped, so that 0 times NaN or infinity is 0", plant_without_zeros},
    {"writes-x", "matmul_f32.f32 rms_norm", "wrote to an input: x, byte 0 of", "x is written to",
     plant_writes_x},
    {"writes-scales", "matmul_affine.pack matmul_affine.bf16", "wrote to an input: scales, byte 0 of",
     "the scales of groups are written to", plant_writes_scales},
    {"writes-panels", "matmul_f16.pack", "wrote to an input: panels, byte 0 of",
     "unpacking writes to the panels", plant_writes_panels},
    {"writes-keys", "attention_bf16", "wrote to an input: k, byte 0 of", "a page of keys is written to",
     plant_writes_keys},
    {"writes-ranges", "attention_f32", "wrote to an input: last, byte 0 of",
     "the positions of the last keys are written to", plant_writes_ranges},
    {"writes-cosine", "rope", "wrote to an input: cosine, byte 0 of", "the table of cosines is written to",
     plant_writes_cosine},
    {"writes-up", "gate.gelu", "wrote to an input: up, byte 0 of", "up is written to", plant_writes_up},
    {"shared-scratch",
     "matmul_f16.f32 matmul_affine.i8 matmul_bf16.pack matmul_f32.pack attention_f32 rms_norm rope gate.silu "
     "cap "
     "router",
     "threads at once", "scratch memory is a static that threads share", plant_shared_scratch},
    {"later-equal", "router", "is left out", "of equal experts the later one is chosen", plant_later_equal},
    {"keys-320", "attention_f32", "expected", "keys from position 320 on are not seen", plant_keys_320},
    {"keys-384", "attention_bf16 attention_shares", "expected", "keys from position 384 on are not seen",
     plant_keys_384},
    {"keys-512", "attention_f32", "expected", "keys from position 512 on are not seen", plant_keys_512},
    {"keys-100000", "attention_bf16", "expected", "keys from position 100,000 on are not seen",
     plant_keys_100000},
    {"heads-32", "attention_f32 rope", "expected", "heads from 32 on are those before them, or not rotated",
     plant_heads_32},
    {"experts-160", "router", "is left out", "experts from 160 on are not chosen", plant_experts_160},
    {"experts-256", "router", "is left out", "experts from 256 on are not chosen", plant_experts_256},
    {"active-16", "router", "expected", "the seventeenth chosen expert has no share", plant_active_16},
    {"inputs-8192", "matmul_bf16.bf16 matmul_affine.i8", "expected",
     "of sums in parts of 8,192 inputs only the first part is added", plant_inputs_8192},
    {"outputs-16384", "matmul_f16.f32", "expected", "outputs from 16,384 on are not written",
     plant_outputs_16384},
    {"width-16384", "rms_norm", "expected", "elements from 16,384 on are left out", plant_width_16384},
    {"elements-65536", "gate.silu", "expected", "elements from 65,536 on are left out", plant_elements_65536},
    {"softmax-no-maximum", "attention_f32 router", "expected",
     "the exponentials of a softmax are those of the scores, without their maximum",
     plant_softmax_no_maximum},
    {"stored-next-scale", "matmul_stored.pack matmul_stored.f32", "expected",
     "blocks of a stored matrix have the scale of the next one", plant_stored_next_scale},
    {"stored-no-zero", "matmul_stored.pack matmul_stored.f32", "expected",
     "zero points of a stored matrix are left out", plant_stored_no_zero},
    {"sum-float16", "matmul_f32.f32 attention_f32 rms_norm gate.silu", "expected",
     "sums, squares and products beyond the largest float16 are infinite", plant_sum_float16},
};
const size_t N_KERNEL_FAULTS = sizeof KERNEL_FAULTS / sizeof *KERNEL_FAULTS;

static fp_operations faulty;
static assay_kernels table;
static pthread_once_t planted = PTHREAD_ONCE_INIT;

static void plant_fault(void)
{
    const char *name = getenv("ASSAY_FAULT");
    CORRECT = fp_kernels_pick(FP_ISA_SCALAR).op;
    faulty = CORRECT;
    for (size_t i = 0; name && i < N_KERNEL_FAULTS; i++)
        if (strcmp(name, KERNEL_FAULTS[i].name) == 0) KERNEL_FAULTS[i].plant(&faulty);
    table = fp_kernels_table(&faulty, "faulty", "1");
}

const assay_kernels *assay_kernels_v2(void)
{
    return pthread_once(&planted, plant_fault) == 0 ? &table : NULL;
}
