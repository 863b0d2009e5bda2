/* The mixture of experts: routed rows are gathered by expert, so that each expert's weights are read once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/experts.h"
#include "fastpath/choice.h"
#include "fastpath/mlp.h"
#include "fastpath/ops.h"

#include <math.h>
#include <string.h>

/* The router's choices, and buffers for one expert at a time. */
typedef struct routing {
    const plan_experts *plan;
    const fp_experts *weights;
    int32_t *chosen;      /* [R, n_active]; -1 for a row that has other experts */
    float *share;         /* [R, n_active] */
    float *rows, *result; /* [R, D] */
    float *gate, *up;     /* [R, I] */
    size_t *row_of;       /* [R]: the row of the pass of each gathered row */
    float *part;          /* [R]: its weight */
} routing;

/* Whether the kernel chooses as the model does. */
static bool is_choice_of_kernel(const plan_experts *x)
{
    return x->scoring == PLAN_SCORING_SOFTMAX && !x->choice_bias.data && !x->n_groups && x->sum_floor == 0 &&
           x->sum_offset == 0 && x->share_factor == 1;
}

/* From scores to probabilities, both [R, n_experts]. all: scratch, of the same shape. */
static void score_experts(fp_pass *pass, const plan_experts *x, float *probability, float *scores,
                          int32_t *all)
{
    const size_t n = x->n_experts;
    if (x->scoring == PLAN_SCORING_SOFTMAX) /* of all experts, so in their order */
        pass->model->kernels.op.router.f32(all, probability, scores, pass->n_rows, n, n, false);
    else
        for (size_t i = 0; i < pass->n_rows * n; i++)
            probability[i] = (float)(1 / (1 + exp(-(double)scores[i])));
}

/* Chooses by scores [R, n_experts], which are overwritten. */
static assay_status choose_experts(fp_pass *pass, const routing *k, float *scores)
{
    const plan_experts *x = k->plan;
    const size_t n = x->n_experts, n_rows = pass->n_rows, mark = pass->scratch->n;
    if (is_choice_of_kernel(x)) {
        pass->model->kernels.op.router.f32(k->chosen, k->share, scores, n_rows, n, x->n_active,
                                           x->renormalize);
        return ASSAY_OK;
    }
    const fp_choice choice = {.n_experts = n,
                              .n_active = x->n_active,
                              .n_groups = x->n_groups,
                              .n_active_groups = x->n_active_groups,
                              .bias = k->weights->choice_bias,
                              .renormalize = x->renormalize,
                              .sum_floor = x->sum_floor,
                              .sum_offset = x->sum_offset,
                              .factor = x->share_factor};
    int32_t *all = fp_scratch_alloc(pass->scratch, n_rows, n, sizeof *all);
    float *probability = all ? fp_scratch_floats(pass->scratch, n_rows, n) : NULL;
    double *value = probability ? fp_scratch_alloc(pass->scratch, 1, n + x->n_groups, sizeof *value) : NULL;
    if (value) {
        score_experts(pass, x, probability, scores, all);
        fp_choose_experts(k->chosen, k->share, probability, n_rows, &choice, value);
    }
    pass->scratch->n = mark;
    return value ? ASSAY_OK : ASSAY_ENOMEM;
}

/* Fills in chosen and share. routed: [R, D], input of the router. */
static assay_status route_tokens(fp_pass *pass, const routing *k, const float *routed)
{
    const plan_experts *x = k->plan;
    size_t hidden = pass->plan->hidden, n = pass->n_rows * x->n_active, mark = pass->scratch->n;
    float *seen = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    float *scores = seen ? fp_scratch_floats(pass->scratch, pass->n_rows, x->n_experts) : NULL;
    assay_status rc = scores ? ASSAY_OK : ASSAY_ENOMEM;
    if (scores) {
        fp_norm_run(pass, seen, routed, pass->n_rows, hidden, &k->weights->router_norm);
        if (k->weights->router_scale) fp_scale_columns(seen, pass->n_rows, hidden, k->weights->router_scale);
        if (x->router_factor != 1) fp_scale(seen, pass->n_rows * hidden, x->router_factor);
        fp_product(pass, scores, seen, pass->n_rows, &k->weights->router);
        for (size_t r = 0; k->weights->router_bias && r < pass->n_rows; r++)
            fp_add(scores + r * x->n_experts, k->weights->router_bias, x->n_experts);
        rc = choose_experts(pass, k, scores);
        for (size_t j = 0; rc == ASSAY_OK && k->weights->expert_scale && j < n; j++)
            k->share[j] *= k->weights->expert_scale[k->chosen[j]];
    }
    pass->scratch->n = mark;
    return rc;
}

/* Gathers the rows of x that chose expert e. Returns their number. */
static size_t gather_rows(const fp_pass *pass, const routing *k, const float *x, size_t e)
{
    size_t hidden = pass->plan->hidden, n = 0;
    for (size_t j = 0; j < pass->n_rows * k->plan->n_active; j++) {
        if ((size_t)k->chosen[j] != e) continue;
        size_t row = j / k->plan->n_active;
        memcpy(k->rows + n * hidden, x + row * hidden, hidden * sizeof *x);
        k->row_of[n] = row;
        k->part[n++] = k->share[j];
    }
    return n;
}

/* Adds the weighted output of expert e to y. Experts are added in ascending order, so that a row's sum
 * does not depend on its batch neighbours. */
static void add_expert(fp_pass *pass, const routing *k, float *y, const float *x, size_t e)
{
    size_t hidden = pass->plan->hidden, width = k->plan->intermediate, n = gather_rows(pass, k, x, e);
    if (n == 0) return;
    const fp_target in[] = {{k->gate, &k->weights->gate[e]}, {k->up, &k->weights->up[e]}};
    fp_products(pass, k->rows, n, in, 2);
    fp_offset(k->up, n * width, k->plan->up_offset);
    fp_gate_run(pass, k->gate, k->gate, k->up, width, n, width, k->plan->activation);
    fp_product(pass, k->result, k->gate, n, &k->weights->down[e]);
    for (size_t r = 0; r < n; r++) {
        fp_scale(k->result + r * hidden, hidden, (double)k->part[r]);
        fp_add(y + k->row_of[r] * hidden, k->result + r * hidden, hidden);
    }
}

static bool allocate_routing(fp_pass *pass, routing *k)
{
    fp_scratch *s = pass->scratch;
    size_t n = pass->n_rows, hidden = pass->plan->hidden;
    return (k->chosen = fp_scratch_alloc(s, n, k->plan->n_active, sizeof *k->chosen)) &&
           (k->share = fp_scratch_floats(s, n, k->plan->n_active)) &&
           (k->rows = fp_scratch_floats(s, n, hidden)) && (k->result = fp_scratch_floats(s, n, hidden)) &&
           (k->gate = fp_scratch_floats(s, n, k->plan->intermediate)) &&
           (k->up = fp_scratch_floats(s, n, k->plan->intermediate)) &&
           (k->row_of = fp_scratch_alloc(s, n, 1, sizeof *k->row_of)) &&
           (k->part = fp_scratch_floats(s, n, 1));
}

/* y += shared(x) · sigmoid(shared_gate(x)); without a gate, y += shared(x). */
static assay_status add_shared(fp_pass *pass, const routing *k, float *y, const float *x)
{
    const size_t hidden = pass->plan->hidden, mark = pass->scratch->n;
    float *result = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    float *gate = result ? fp_scratch_floats(pass->scratch, pass->n_rows, 1) : NULL;
    assay_status rc =
        gate ? fp_mlp_run(pass, &k->plan->shared, &k->weights->shared, result, x) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && k->plan->shared_gate.rows) {
        fp_product(pass, gate, x, pass->n_rows, &k->weights->shared_gate);
        for (size_t r = 0; r < pass->n_rows; r++)
            fp_scale(result + r * hidden, hidden, 1 / (1 + exp(-(double)gate[r])));
    }
    if (rc == ASSAY_OK) fp_add_run(pass, y, result, hidden);
    pass->scratch->n = mark;
    return rc;
}

/* Adds the chosen experts of the rows r with has_own[r] == is_own; has_own NULL: of all rows. */
static assay_status add_chosen(fp_pass *pass, routing *k, float *y, const float *x, const float *routed,
                               const bool *has_own, bool is_own)
{
    const size_t mark = pass->scratch->n, n_active = k->plan->n_active;
    assay_status rc = allocate_routing(pass, k) ? route_tokens(pass, k, routed) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        for (size_t j = 0; has_own && j < pass->n_rows * n_active; j++)
            if (has_own[j / n_active] != is_own) k->chosen[j] = -1;
        for (size_t e = 0; e < k->plan->n_experts; e++) add_expert(pass, k, y, x, e);
    }
    pass->scratch->n = mark;
    return rc;
}

assay_status fp_experts_run(fp_pass *pass, size_t i, float *y, const float *x, const float *routed)
{
    const plan_layer *layer = &pass->plan->layers[i];
    const fp_layer *weights = &pass->model->layers[i];
    routing all = {.plan = &layer->experts, .weights = &weights->experts},
            own = {.plan = &layer->own_experts, .weights = &weights->own_experts};
    const bool *has_own = layer->own_experts.present ? pass->has_own : NULL;
    memset(y, 0, pass->n_rows * pass->plan->hidden * sizeof *y);
    assay_status rc = add_chosen(pass, &all, y, x, routed, has_own, false);
    if (rc == ASSAY_OK && has_own) rc = add_chosen(pass, &own, y, x, routed, has_own, true);
    if (rc == ASSAY_OK && layer->experts.shared.present) rc = add_shared(pass, &all, y, x);
    return rc;
}
