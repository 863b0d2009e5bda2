/* Gated activations and soft caps: one element at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "conformance/sweep/parts.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double gelu_argument(double x)
{
    return 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x);
}

static double activated(double x, assay_activation activation)
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

/* How many times larger than the relative error of x, or of what goes into the exponential, that of the
 * result may become; at least 1. */
static double condition(double x, assay_activation activation)
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
    double x = (double)gate, factor = activated(x, activation), truth = factor * (double)up;
    /* In float the factor may have become 0 by then, and 0 times infinity is NaN. */
    if (isinf(up) && fabs(factor) < (double)FLT_MIN && isnan(y)) return;
    /* What the exponential loses where it is no longer a normal float is lost for good. */
    double subnormal = fabs(x * (double)up) * 0x1p-126;
    (void)sweep_judge(s, y, truth, fabs(truth) * condition(x, activation) + subnormal, at);
}

/* Every element of y must have the bits that the kernel gives it alone. */
static void judge_gate_alone(sweep *s, assay_gate_fn *kernel, const float *y, const float *gate,
                             const float *up, size_t n, assay_activation activation)
{
    for (size_t i = 0; i < n; i++) {
        float alone;
        kernel(&alone, gate + i, up + i, 1, activation);
        (void)sweep_judge_same(s, alone, y[i], i);
    }
}

static void run_gate(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    const assay_activation activation = (assay_activation)op->kind;
    assay_gate_fn *kernel = s->kernels->gate;
    size_t n = shape[0], bytes = n * sizeof(float);
    sweep_begin(s, shape, 1, numbers);
    float *gate = sweep_take(s, bytes), *up = sweep_take(s, bytes), *y = sweep_take_guarded(s, bytes);
    sweep_fill(s, gate, n, numbers);
    sweep_fill(s, up, n, numbers);
    for (size_t i = 0; i < n; i++) gate[i] *= 4; /* into the tails */
    size_t place = sweep_between(s, 0, 2);       /* y by itself, in gate, in up */
    if (place) memcpy(y, place == 1 ? gate : up, bytes);
    kernel(y, place == 1 ? y : gate, place == 2 ? y : up, n, activation);
    for (size_t i = 0; i < n; i++) judge_gate(s, y[i], gate[i], up[i], activation, i);
    judge_gate_alone(s, kernel, y, gate, up, n, activation);
    sweep_end(s);
}

static void run_cap(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    assay_cap_fn *kernel = s->kernels->cap;
    size_t n = shape[0], bytes = n * sizeof(float);
    sweep_begin(s, shape, 1, numbers);
    float *x = sweep_take(s, bytes), *y = sweep_take_guarded(s, bytes), cap = sweep_bits(s) % 2 ? 30 : 0.75F;
    sweep_fill(s, x, n, numbers);
    memcpy(y, x, bytes);
    kernel(y, n, cap);
    for (size_t i = 0; i < n; i++) {
        float alone = x[i];
        double truth = tanh((double)x[i] / (double)cap) * (double)cap;
        (void)sweep_judge(s, y[i], truth, fabs(truth), i);
        kernel(&alone, 1, cap);
        (void)sweep_judge_same(s, alone, y[i], i);
    }
    sweep_end(s);
}

static void shapes(sweep *s, const sweep_op *op)
{
    for (size_t n = 1; n <= 100; n++) op->run(s, op, &n, sweep_turn(s));
    for (size_t i = 0; i < 60; i++) {
        size_t n = sweep_between(s, 100, 4000);
        op->run(s, op, &n, sweep_turn(s));
    }
}

static bool allows(const sweep *s, const sweep_op *op, const size_t *shape)
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

const sweep_op SWEEP_GATE[6] = {
    {"gate.silu", ASSAY_SILU, 1, has_gate, shapes, allows, run_gate},
    {"gate.gelu", ASSAY_GELU, 1, has_gate, shapes, allows, run_gate},
    {"gate.gelu_tanh", ASSAY_GELU_TANH, 1, has_gate, shapes, allows, run_gate},
    {"gate.quick_gelu", ASSAY_QUICK_GELU, 1, has_gate, shapes, allows, run_gate},
    {"gate.relu", ASSAY_RELU, 1, has_gate, shapes, allows, run_gate},
    {"cap", 0, 1, has_cap, shapes, allows, run_cap},
};
