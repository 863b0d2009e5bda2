/* Feed-forward parts: the MLP, with a gate or without, and the mixture of experts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/mlp.h"

#include <stdlib.h>
#include <string.h>

#include "model/plan/bind_matrix.h"
#include "ref/arithmetic/product.h"
#include "ref/arithmetic/weight.h"
#include "ref/choice.h"

/* torch.mean and torch.std (unbiased=False) of a row. */
static double mean_of(const ref_real *row, size_t n)
{
    double sum = 0;
    for (const ref_real *x = row; x < row + n; x++) sum += (double)*x;
    return sum / (double)n;
}

static double std_of(const ref_real *row, size_t n)
{
    const double mean = mean_of(row, n);
    double squares = 0;
    for (const ref_real *x = row; x < row + n; x++) squares += pow((double)*x - mean, 2);
    return sqrt(squares / (double)n);
}

/* Gemma3nTextMLP._gaussian_topk of transformers, of every row: relu(inputs - cutoff_x), where cutoff_x = mean
 * + std · std_multiplier. */
static void keep_gaussian_topk(ref_real *inputs, size_t n_rows, size_t width, double std_multiplier)
{
    for (ref_real *row = inputs; row < inputs + n_rows * width; row += width) {
        const double cutoff = mean_of(row, width) + std_of(row, width) * std_multiplier;
        for (size_t i = 0; i < width; i++) {
            const double excess = (double)row[i] - cutoff;
            row[i] = excess < 0 ? 0 : (ref_real)excess; /* NaN stays NaN, as in relu */
        }
    }
}

/* plan_gating; NaN stays NaN. */
static void limit_factors(ref_real *gate, ref_real *up, size_t n, double limit)
{
    const ref_real most = (ref_real)limit;
    for (size_t i = 0; limit != 0 && i < n; i++) {
        if (gate[i] > most) gate[i] = most;
        if (up[i] > most) up[i] = most;
        if (up[i] < -most) up[i] = -most;
    }
}

/* down(activation(up(x))). */
static assay_status plain_mlp(ref_real *y, const ref_real *x, size_t n_tokens, const plan_mlp *mlp)
{
    ref_real *up = ref_alloc(n_tokens, mlp->intermediate);
    assay_status rc = up ? ref_linear(up, x, n_tokens, &mlp->up) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        ref_activate(up, n_tokens * mlp->intermediate, mlp->activation);
        rc = ref_linear(y, up, n_tokens, &mlp->down);
    }
    free(up);
    return rc;
}

assay_status ref_mlp(ref_real *y, const ref_real *x, size_t n_tokens, const plan_mlp *mlp)
{
    if (!mlp->gate.weight.data) return plain_mlp(y, x, n_tokens, mlp);
    const double slope = mlp->gating.slope == 0 ? 1 : mlp->gating.slope;
    size_t n = n_tokens * mlp->intermediate;
    ref_real *gate = ref_alloc(n_tokens, mlp->intermediate), *up = ref_alloc(n_tokens, mlp->intermediate);
    assay_status rc = gate && up ? ref_linear(gate, x, n_tokens, &mlp->gate) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) rc = ref_linear(up, x, n_tokens, &mlp->up);
    if (rc == ASSAY_OK) {
        if (mlp->sparse) keep_gaussian_topk(gate, n_tokens, mlp->intermediate, mlp->sparse_deviations);
        limit_factors(gate, up, n, mlp->gating.limit);
        if (slope != 1) ref_scale(gate, n, slope);
        ref_activate(gate, n, mlp->activation);
        if (mlp->squares) ref_multiply(gate, gate, n);
        if (slope != 1) ref_scale(gate, n, 1 / slope);
        for (size_t i = 0; mlp->gating.up_offset != 0 && i < n; i++) up[i] += (ref_real)mlp->gating.up_offset;
        ref_multiply(gate, up, n);
        rc = ref_linear(y, gate, n_tokens, &mlp->down);
    }
    free(gate);
    free(up);
    return rc;
}

/* share: [T, n_experts], the weight of each expert for each token; 0 if it is not chosen. */
static assay_status route_tokens(ref_real *share, const ref_real *routed, size_t n_tokens,
                                 const plan_experts *x)
{
    size_t n = x->n_experts, width = x->router.cols;
    ref_real *seen = ref_alloc(n_tokens, width), *scale = ref_alloc(1, width),
             *expert_scale = ref_alloc(1, n), *bias = ref_alloc(1, n);
    ref_real *scratch = ref_alloc(2, n);
    assay_status rc = seen && scale && expert_scale && bias && scratch
                          ? ref_norm(seen, routed, n_tokens, width, &x->router_norm)
                          : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && x->router_scale.data) {
        ref_weight_rows(&x->router_scale, 0, 1, scale);
        for (size_t t = 0; t < n_tokens; t++) ref_multiply(seen + t * width, scale, width);
    }
    if (rc == ASSAY_OK) {
        if (x->router_factor != 1) ref_scale(seen, n_tokens * width, x->router_factor);
        if (x->expert_scale.data) ref_weight_rows(&x->expert_scale, 0, 1, expert_scale);
        if (x->choice_bias.data) ref_weight_rows(&x->choice_bias, 0, 1, bias);
        const plan_linear router = {.weight = x->router, .bias = x->router_bias};
        rc = ref_linear(share, seen, n_tokens, &router);
    }
    for (size_t t = 0; rc == ASSAY_OK && t < n_tokens; t++) {
        ref_real *own = share + t * n;
        if (x->scoring == PLAN_SCORING_SIGMOID) ref_sigmoid(own, n);
        else ref_softmax(own, n);
        ref_choose_experts(own, bias, x, scratch);
        if (x->expert_scale.data) ref_multiply(own, expert_scale, n);
    }
    free(seen);
    free(scale);
    free(expert_scale);
    free(bias);
    free(scratch);
    return rc;
}

/* biases: a row for each expert, or absent. */
static plan_linear expert_linear(const plan_weight *weight, const plan_weight *biases, size_t e)
{
    return (plan_linear){.weight = *weight,
                         .bias = biases->data ? bind_rows(biases, e, 1) : (plan_weight){0}};
}

/* Adds the weighted output of expert e to y for the tokens that chose it. rows, result: scratch, [T,
 * D]. */
static assay_status add_expert(ref_real *y, const ref_real *x, const ref_real *share, size_t n_tokens,
                               const plan_experts *experts, size_t e, ref_real *rows, ref_real *result)
{
    size_t n = 0, width = experts->router.cols;
    for (size_t t = 0; t < n_tokens; t++)
        if (share[t * experts->n_experts + e] != 0)
            memcpy(rows + n++ * width, x + t * width, width * sizeof *rows);
    if (n == 0) return ASSAY_OK;
    plan_mlp mlp = {.present = true,
                    .intermediate = experts->intermediate,
                    .activation = experts->activation,
                    .gating = experts->gating,
                    .gate = expert_linear(&experts->gate[e], &experts->gate_bias, e),
                    .up = expert_linear(&experts->up[e], &experts->up_bias, e),
                    .down = expert_linear(&experts->down[e], &experts->down_bias, e)};
    assay_status rc = ref_mlp(result, rows, n, &mlp);
    for (size_t t = 0, r = 0; rc == ASSAY_OK && t < n_tokens; t++) {
        ref_real part = share[t * experts->n_experts + e];
        if (part == 0) continue;
        ref_scale(result + r * width, width, (double)part);
        ref_add(y + t * width, result + r++ * width, width);
    }
    return rc;
}

/* y += shared(x) · sigmoid(shared_gate(x)); without a gate, y += shared(x). */
static assay_status add_shared(ref_real *y, const ref_real *x, size_t n_tokens, const plan_experts *experts)
{
    const size_t width = experts->router.cols;
    ref_real *result = ref_alloc(n_tokens, width), *gate = ref_alloc(n_tokens, 1);
    assay_status rc = result && gate ? ref_mlp(result, x, n_tokens, &experts->shared) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && experts->shared_gate.data) {
        rc = ref_matrix(gate, x, n_tokens, &experts->shared_gate);
        if (rc == ASSAY_OK) ref_sigmoid(gate, n_tokens);
        for (size_t t = 0; rc == ASSAY_OK && t < n_tokens; t++)
            ref_scale(result + t * width, width, (double)gate[t]);
    }
    if (rc == ASSAY_OK) ref_add(y, result, n_tokens * width);
    free(result);
    free(gate);
    return rc;
}

/* Adds the chosen experts of the tokens t with has_own[t] == is_own; has_own NULL: of all tokens. */
static assay_status add_chosen(ref_real *y, const ref_real *x, const ref_real *routed, size_t n_tokens,
                               const plan_experts *experts, const bool *has_own, bool is_own)
{
    const size_t n = experts->n_experts, width = experts->router.cols;
    ref_real *share = ref_alloc(n_tokens, n);
    ref_real *rows = ref_alloc(n_tokens, width), *result = ref_alloc(n_tokens, width);
    assay_status rc = share && rows && result ? route_tokens(share, routed, n_tokens, experts) : ASSAY_ENOMEM;
    for (size_t t = 0; rc == ASSAY_OK && has_own && t < n_tokens; t++)
        if (has_own[t] != is_own) memset(share + t * n, 0, n * sizeof *share);
    for (size_t e = 0; rc == ASSAY_OK && e < n; e++)
        rc = add_expert(y, x, share, n_tokens, experts, e, rows, result);
    free(share);
    free(rows);
    free(result);
    return rc;
}

assay_status ref_experts(ref_real *y, const ref_real *x, const ref_real *routed, size_t n_tokens,
                         const plan_layer *layer, const bool *has_own)
{
    const plan_experts *experts = &layer->experts;
    memset(y, 0, n_tokens * experts->router.cols * sizeof *y);
    assay_status rc = add_chosen(y, x, routed, n_tokens, experts, has_own, false);
    if (rc == ASSAY_OK && has_own)
        rc = add_chosen(y, x, routed, n_tokens, &layer->own_experts, has_own, true);
    if (rc == ASSAY_OK && experts->shared.present) rc = add_shared(y, x, n_tokens, experts);
    return rc;
}
