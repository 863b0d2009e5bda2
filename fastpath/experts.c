/* The mixture of experts: routed rows are gathered by expert, so that each expert's weights are read once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/experts.h"
#include "fastpath/mlp.h"
#include "fastpath/ops.h"

#include <math.h>
#include <string.h>

/* The router's choices, and buffers for one expert at a time. */
typedef struct routing {
    const plan_experts *plan;
    const fp_experts *weights;
    int32_t *chosen;      /* [R, n_active] */
    float *share;         /* [R, n_active] */
    float *rows, *result; /* [R, D] */
    float *gate, *up;     /* [R, I] */
    size_t *row_of;       /* [R]: the row of the pass of each gathered row */
    float *part;          /* [R]: its weight */
} routing;

/* Fills in chosen and share. routed: [R, D], input of the router. */
static assay_status route_tokens(fp_pass *pass, const routing *k, const float *routed)
{
    const plan_experts *x = k->plan;
    size_t hidden = pass->plan->hidden, n = pass->n_rows * x->n_active, mark = pass->scratch->n;
    float *seen = fp_scratch_floats(pass->scratch, pass->n_rows, hidden);
    float *scores = seen ? fp_scratch_floats(pass->scratch, pass->n_rows, x->n_experts) : NULL;
    if (scores) {
        fp_norm_run(pass, seen, routed, pass->n_rows, hidden, &k->weights->router_norm);
        if (k->weights->router_scale) fp_scale_columns(seen, pass->n_rows, hidden, k->weights->router_scale);
        if (x->router_factor != 1) fp_scale(seen, pass->n_rows * hidden, x->router_factor);
        fp_product(pass, scores, seen, pass->n_rows, &k->weights->router);
        pass->model->kernels.op.router.f32(k->chosen, k->share, scores, pass->n_rows, x->n_experts,
                                           x->n_active, x->renormalize);
        for (size_t j = 0; k->weights->expert_scale && j < n; j++)
            k->share[j] *= k->weights->expert_scale[k->chosen[j]];
    }
    pass->scratch->n = mark;
    return scores ? ASSAY_OK : ASSAY_ENOMEM;
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

assay_status fp_experts_run(fp_pass *pass, size_t i, float *y, const float *x, const float *routed)
{
    routing k = {.plan = &pass->plan->layers[i].experts, .weights = &pass->model->layers[i].experts};
    size_t mark = pass->scratch->n;
    assay_status rc = allocate_routing(pass, &k) ? route_tokens(pass, &k, routed) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK) {
        memset(y, 0, pass->n_rows * pass->plan->hidden * sizeof *y);
        for (size_t e = 0; e < k.plan->n_experts; e++) add_expert(pass, &k, y, x, e);
        if (k.plan->shared.present) rc = add_shared(pass, &k, y, x);
    }
    pass->scratch->n = mark;
    return rc;
}
