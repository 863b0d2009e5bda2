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
static assay_status choose_experts(fp_pass *pass, const routing *job, float *scores)
{
    const plan_experts *x = job->plan;
    const size_t n = x->n_experts, n_rows = pass->n_rows, mark = pass->scratch->n;
    if (is_choice_of_kernel(x)) {
        pass->model->kernels.op.router.f32(job->chosen, job->share, scores, n_rows, n, x->n_active,
                                           x->renormalize);
        return ASSAY_OK;
    }
    const fp_choice choice = {.n_experts = n,
                              .n_active = x->n_active,
                              .n_groups = x->n_groups,
                              .n_active_groups = x->n_active_groups,
                              .bias = job->weights->choice_bias,
                              .renormalize = x->renormalize,
                              .sum_floor = x->sum_floor,
                              .sum_offset = x->sum_offset,
                              .factor = x->share_factor};
    int32_t *all = fp_scratch_alloc(pass->scratch, n_rows, n, sizeof *all);
    float *probability = all ? fp_scratch_floats(pass->scratch, n_rows, n) : NULL;
    double *value = probability ? fp_scratch_alloc(pass->scratch, 1, n + x->n_groups, sizeof *value) : NULL;
    if (value) {
        score_experts(pass, x, probability, scores, all);
        fp_choose_experts(job->chosen, job->share, probability, n_rows, &choice, value);
    }
    pass->scratch->n = mark;
    return value ? ASSAY_OK : ASSAY_ENOMEM;
}

/* Fills in chosen and share. routed: [R, D], input of the router. */
static assay_status route_tokens(fp_pass *pass, const routing *job, const float *routed)
{
    const plan_experts *x = job->plan;
    size_t hidden = pass->plan->hidden, n = pass->n_rows * x->n_active, mark = pass->scratch->n;
    float *seen = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    float *scores = seen ? fp_scratch_floats(pass->scratch, pass->n_rows, x->n_experts) : NULL;
    assay_status rc = scores ? ASSAY_OK : ASSAY_ENOMEM;
    if (scores) {
        fp_norm_run(pass, seen, routed, pass->n_rows, hidden, &job->weights->router_norm);
        if (job->weights->router_scale)
            fp_scale_columns(seen, pass->n_rows, hidden, job->weights->router_scale);
        if (x->router_factor != 1) fp_scale(seen, pass->n_rows * hidden, x->router_factor);
        fp_product(pass, scores, seen, pass->n_rows, &job->weights->router);
        for (size_t r = 0; job->weights->router_bias && r < pass->n_rows; r++)
            fp_add(scores + r * x->n_experts, job->weights->router_bias, x->n_experts);
        rc = choose_experts(pass, job, scores);
        for (size_t j = 0; rc == ASSAY_OK && job->weights->expert_scale && j < n; j++)
            job->share[j] *= job->weights->expert_scale[job->chosen[j]];
    }
    pass->scratch->n = mark;
    return rc;
}

/* Gathers the rows of x that chose expert e. Returns their number. */
static size_t gather_rows(const fp_pass *pass, const routing *job, const float *x, size_t e)
{
    size_t hidden = pass->plan->hidden, n = 0;
    for (size_t j = 0; j < pass->n_rows * job->plan->n_active; j++) {
        if ((size_t)job->chosen[j] != e) continue;
        size_t row = j / job->plan->n_active;
        memcpy(job->rows + n * hidden, x + row * hidden, hidden * sizeof *x);
        job->row_of[n] = row;
        job->part[n++] = job->share[j];
    }
    return n;
}

/* biases: [n_experts, width], or NULL. */
static void add_bias(float *y, size_t n_rows, size_t width, const float *biases, size_t e)
{
    for (size_t r = 0; biases && r < n_rows; r++) fp_add(y + r * width, biases + e * width, width);
}

/* Adds the weighted output of expert e to y. Experts are added in ascending order, so that a row's sum
 * does not depend on its batch neighbours. */
static void add_expert(fp_pass *pass, const routing *job, float *y, const float *x, size_t e)
{
    size_t hidden = pass->plan->hidden, width = job->plan->intermediate, n = gather_rows(pass, job, x, e);
    if (n == 0) return;
    const fp_target in[] = {{job->gate, &job->weights->gate[e]}, {job->up, &job->weights->up[e]}};
    fp_products(pass, job->rows, n, in, 2);
    add_bias(job->gate, n, width, job->weights->gate_bias, e);
    add_bias(job->up, n, width, job->weights->up_bias, e);
    fp_gating(job->gate, job->up, n * width, &job->plan->gating);
    fp_gate_run(pass, job->gate, job->gate, job->up, width, n, width, job->plan->activation);
    fp_product(pass, job->result, job->gate, n, &job->weights->down[e]);
    add_bias(job->result, n, hidden, job->weights->down_bias, e);
    for (size_t r = 0; r < n; r++) {
        fp_scale(job->result + r * hidden, hidden, (double)job->part[r]);
        fp_add(y + job->row_of[r] * hidden, job->result + r * hidden, hidden);
    }
}

static bool allocate_routing(fp_pass *pass, routing *job)
{
    fp_scratch *s = pass->scratch;
    size_t n = pass->n_rows, hidden = pass->plan->hidden;
    return (job->chosen = fp_scratch_alloc(s, n, job->plan->n_active, sizeof *job->chosen)) &&
           (job->share = fp_scratch_floats(s, n, job->plan->n_active)) &&
           (job->rows = fp_scratch_floats(s, n, hidden)) && (job->result = fp_scratch_floats(s, n, hidden)) &&
           (job->gate = fp_scratch_floats(s, n, job->plan->intermediate)) &&
           (job->up = fp_scratch_floats(s, n, job->plan->intermediate)) &&
           (job->row_of = fp_scratch_alloc(s, n, 1, sizeof *job->row_of)) &&
           (job->part = fp_scratch_floats(s, n, 1));
}

/* y += shared(x) · sigmoid(shared_gate(x)); without a gate, y += shared(x). */
static assay_status add_shared(fp_pass *pass, const routing *job, float *y, const float *x)
{
    const size_t hidden = pass->plan->hidden, mark = pass->scratch->n;
    float *result = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    float *gate = result ? fp_scratch_floats(pass->scratch, pass->n_rows, 1) : NULL;
    assay_status rc =
        gate ? fp_mlp_run(pass, &job->plan->shared, &job->weights->shared, result, x) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && job->plan->shared_gate.rows) {
        fp_product(pass, gate, x, pass->n_rows, &job->weights->shared_gate);
        for (size_t r = 0; r < pass->n_rows; r++)
            fp_scale(result + r * hidden, hidden, 1 / (1 + exp(-(double)gate[r])));
    }
    if (rc == ASSAY_OK) fp_add_run(pass, y, result, hidden);
    pass->scratch->n = mark;
    return rc;
}

/* Adds the chosen experts of the rows r with has_own[r] == is_own; has_own NULL: of all rows. */
static assay_status add_chosen(fp_pass *pass, routing *job, float *y, const float *x, const float *routed,
                               const bool *has_own, bool is_own)
{
    const size_t mark = pass->scratch->n, n_active = job->plan->n_active;
    assay_status rc = allocate_routing(pass, job) ? route_tokens(pass, job, routed) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        for (size_t j = 0; has_own && j < pass->n_rows * n_active; j++)
            if (has_own[j / n_active] != is_own) job->chosen[j] = -1;
        for (size_t e = 0; e < job->plan->n_experts; e++) add_expert(pass, job, y, x, e);
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
