/* Gated activations and soft caps: elementwise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "conformance/sweep/parts.h"
#include "conformance/sweep/threads.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double gelu_argument(double x)
{
    return 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x);
}

static double activate(double x, assay_activation activation)
{
    switch (activation) {
    case ASSAY_SILU: return x * sigmoid(x);
    case ASSAY_GELU: return x / 2 * erfc(-x * 0.70710678118654752440);
    case ASSAY_GELU_TANH: return x * sigmoid(gelu_argument(x));
    case ASSAY_QUICK_GELU: return x * sigmoid(1.702 * x);
    case ASSAY_RELU: return x < 0 ? 0 : x;
    }
    return x;
}

/* Condition number: by what factor, at least 1, the relative error of x, or of the argument of the
 * exponential, may grow in the result. */
static double condition_number(double x, assay_activation activation)
{
    switch (activation) {
    case ASSAY_GELU_TANH: return 1 + 3 * fabs(gelu_argument(x));
    case ASSAY_QUICK_GELU: return 1 + 1.702 * fabs(x);
    case ASSAY_SILU:
    case ASSAY_GELU:
    case ASSAY_RELU: break;
    }
    return 1;
}

static void judge_gate(sweep *s, float y, float gate, float up, assay_activation activation, size_t at)
{
    double x = (double)gate, factor = activate(x, activation), truth = factor * (double)up;
    /* The float factor may have underflowed to 0, and 0 times infinity is NaN. */
    if (isinf(up) && fabs(factor) < (double)FLT_MIN && isnan(y)) return;
    /* The precision that the exponential loses where it is subnormal cannot be regained. */
    double product = fabs(x * (double)up), subnormal = isfinite(product) ? product * 0x1p-126 : 0;
    (void)sweep_judge(s, y, truth, fabs(truth) * condition_number(x, activation) + subnormal, at);
}

/* Every element of y must have the same bits as from a call with that element only. */
static void judge_element_invariance(sweep *s, assay_gate_fn *kernel, const float *y, const float *gate,
                                     const float *up, size_t n, assay_activation activation)
{
    for (size_t i = 0; i < n; i++) {
        float alone;
        kernel(&alone, gate + i, up + i, 1, activation);
        (void)sweep_judge_same(s, alone, y[i], i);
    }
}

/* Shared by threads: the same elements into another y. */
typedef struct shared_elements {
    const assay_kernels *kernels;
    const float *gate, *up, *x; /* x: input of a cap, which is computed in place */
    float *y, cap;
    assay_activation activation;
} shared_elements;

static void gate_part(const void *context, const sweep_part *part)
{
    const shared_elements *e = context;
    const size_t at = part->column;
    e->kernels->gate->f32(e->y + at, e->gate + at, e->up + at, part->n_columns, e->activation);
}

static void cap_part(const void *context, const sweep_part *part)
{
    const shared_elements *e = context;
    memcpy(e->y + part->column, e->x + part->column, part->n_columns * sizeof *e->y);
    e->kernels->cap->f32(e->y + part->column, part->n_columns, e->cap);
}

static void judge_threads(sweep *s, void (*compute)(const void *context, const sweep_part *part),
                          shared_elements *e, const float *y, size_t n)
{
    if (!s->on_threads) return;
    e->kernels = s->kernels;
    e->y = sweep_alloc_guarded(s, "y", n * sizeof *y);
    sweep_judge_threads(s, &(sweep_work){.n_rows = 1,
                                         .n_columns = n,
                                         .compute = compute,
                                         .context = e,
                                         .outputs = {{"y", y, e->y, n, 0, 1, n}},
                                         .n_outputs = 1});
}

static void run_gate(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    const assay_activation activation = (assay_activation)op->kind;
    assay_gate_fn *kernel = s->kernels->gate->f32;
    size_t n = shape[0], bytes = n * sizeof(float);
    if (!sweep_begin(s, shape, 1, numbers)) return;
    float *gate = sweep_alloc(s, "gate", bytes), *up = sweep_alloc(s, "up", bytes),
          *y = sweep_alloc_guarded(s, "y", bytes);
    sweep_fill(s, gate, n, numbers);
    sweep_fill(s, up, n, numbers);
    for (size_t i = 0; i < n; i++) gate[i] *= 4; /* into the tails of the activation */
    size_t in_place = sweep_between(s, 0, 2);    /* 0: y separate; 1: in place of gate; 2: of up */
    if (in_place) memcpy(y, in_place == 1 ? gate : up, bytes);
    sweep_lock_inputs(s);
    kernel(y, in_place == 1 ? y : gate, in_place == 2 ? y : up, n, activation);
    for (size_t i = 0; i < n; i++) judge_gate(s, y[i], gate[i], up[i], activation, i);
    judge_element_invariance(s, kernel, y, gate, up, n, activation);
    judge_threads(s, gate_part, &(shared_elements){.gate = gate, .up = up, .activation = activation}, y, n);
    sweep_end(s);
}

static void run_cap(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    assay_cap_fn *kernel = s->kernels->cap->f32;
    size_t n = shape[0], bytes = n * sizeof(float);
    if (!sweep_begin(s, shape, 1, numbers)) return;
    float *x = sweep_alloc(s, NULL, bytes), *y = sweep_alloc_guarded(s, "x", bytes),
          cap = sweep_bits(s) % 2 ? 30 : 0.75F;
    sweep_fill(s, x, n, numbers);
    memcpy(y, x, bytes);
    sweep_lock_inputs(s);
    kernel(y, n, cap);
    for (size_t i = 0; i < n; i++) {
        float alone = x[i];
        double truth = tanh((double)x[i] / (double)cap) * (double)cap;
        (void)sweep_judge(s, y[i], truth, fabs(truth), i);
        kernel(&alone, 1, cap);
        (void)sweep_judge_same(s, alone, y[i], i);
    }
    judge_threads(s, cap_part, &(shared_elements){.x = x, .cap = cap}, y, n);
    sweep_end(s);
}

static void sweep_gate_shapes(sweep *s, const sweep_op *op)
{
    for (size_t n = 1; n <= 100; n++) op->run(s, op, &n, sweep_turn(s));
    for (size_t i = 0; i < 60; i++) {
        size_t n = sweep_between(s, 100, 4000);
        op->run(s, op, &n, sweep_turn(s));
    }
}

static bool allows_gate(const sweep *s, const sweep_op *op, const size_t *shape)
{
    (void)s;
    (void)op;
    return sweep_in(shape, 1, 1, 1U << 20);
}

static bool has_gate(const assay_kernels *kernels, const sweep_op *op)
{
    (void)op;
    return kernels->gate != NULL;
}

static bool has_cap(const assay_kernels *kernels, const sweep_op *op)
{
    (void)op;
    return kernels->cap != NULL;
}

/* As many as a vocabulary has ids. */
static const sweep_dim GATE_DIMS[1] = {{"elements", 4000, 262144}};

const sweep_op SWEEP_GATE[6] = {
    {"gate.silu", ASSAY_SILU, 1, GATE_DIMS, has_gate, sweep_gate_shapes, NULL, allows_gate, run_gate},
    {"gate.gelu", ASSAY_GELU, 1, GATE_DIMS, has_gate, sweep_gate_shapes, NULL, allows_gate, run_gate},
    {"gate.gelu_tanh", ASSAY_GELU_TANH, 1, GATE_DIMS, has_gate, sweep_gate_shapes, NULL, allows_gate,
     run_gate},
    {"gate.quick_gelu", ASSAY_QUICK_GELU, 1, GATE_DIMS, has_gate, sweep_gate_shapes, NULL, allows_gate,
     run_gate},
    {"gate.relu", ASSAY_RELU, 1, GATE_DIMS, has_gate, sweep_gate_shapes, NULL, allows_gate, run_gate},
    {"cap", 0, 1, GATE_DIMS, has_cap, sweep_gate_shapes, NULL, allows_gate, run_cap},
};
