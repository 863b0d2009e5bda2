/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "conformance/sweep/parts.h"
#include "conformance/sweep/threads.h"

enum { N_ROWS, N_EXPERTS, N_ACTIVE, RENORMALIZE, DIMS };
enum { MAX_EXPERTS = 512, MAX_ACTIVE = 22 };

/* Whether an expert after e with the same score is chosen. */
static bool has_later_equal(const float *score, const bool *is_chosen, size_t n_experts, size_t e)
{
    for (size_t i = e + 1; i < n_experts; i++)
        if (is_chosen[i] && score[i] == score[e]) return true;
    return false;
}

/* Scores that are further below the largest have a probability of 0 in float32. */
#define DISTANCE_OF_ZERO 110.0F

/* Experts must be chosen in ascending order, each once; an expert left out must not be better than the
 * worst chosen one, nor come before a chosen one with an equal score, unless its probability is 0. */
static bool judge_choice(sweep *s, const int32_t *chosen, const float *score, size_t n_experts,
                         size_t n_active, bool comparable)
{
    bool is_chosen[MAX_EXPERTS] = {0};
    float worst = INFINITY, maximum = -INFINITY;
    for (size_t e = 0; e < n_experts; e++) maximum = fmaxf(maximum, score[e]);
    for (size_t k = 0; k < n_active; k++) {
        if (chosen[k] < 0 || (size_t)chosen[k] >= n_experts || (k && chosen[k] <= chosen[k - 1])) {
            sweep_fail(s, "choice %zu of %zu experts: %d", k, n_experts, chosen[k]);
            return false;
        }
        is_chosen[chosen[k]] = true;
        worst = fminf(worst, score[chosen[k]]);
    }
    /* Scores further apart than this have different probabilities in float. */
    for (size_t e = 0; e < n_experts && comparable; e++)
        if (!is_chosen[e] && score[e] > maximum - DISTANCE_OF_ZERO &&
            (score[e] > worst + 1e-5F * (1 + fabsf(worst)) ||
             has_later_equal(score, is_chosen, n_experts, e))) {
            sweep_fail(s, "expert %zu is left out: %g, the worst chosen one is %g", e, (double)score[e],
                       (double)worst);
            return false;
        }
    return true;
}

static void judge_shares(sweep *s, const int32_t *chosen, const float *share, const float *score,
                         const size_t *shape)
{
    double maximum = -INFINITY, sum = 0, chosen_sum = 0;
    for (size_t e = 0; e < shape[N_EXPERTS]; e++) maximum = fmax(maximum, (double)score[e]);
    for (size_t e = 0; e < shape[N_EXPERTS]; e++) sum += exp((double)score[e] - maximum);
    for (size_t k = 0; k < shape[N_ACTIVE]; k++) chosen_sum += exp((double)score[chosen[k]] - maximum);
    for (size_t k = 0; k < shape[N_ACTIVE]; k++) {
        double x = (double)score[chosen[k]] - maximum,
               truth = exp(x) / (shape[RENORMALIZE] ? chosen_sum : sum);
        (void)sweep_judge(s, share[k], truth, truth * (1 + fabs(x)), k);
    }
}

/* One row, computed as a batch of one, must have the same bits. */
static void judge_batch_invariance(sweep *s, const int32_t *chosen, const float *share, const float *given,
                                   const size_t *shape)
{
    const size_t row = sweep_between(s, 0, shape[N_ROWS] - 1), n = shape[N_EXPERTS],
                 n_active = shape[N_ACTIVE];
    float *scores = sweep_alloc_guarded(s, "scores", n * sizeof *scores),
          *share_alone = sweep_alloc_guarded(s, "share", n_active * sizeof *share_alone);
    int32_t *chosen_alone = sweep_alloc_guarded(s, "chosen", n_active * sizeof *chosen_alone);
    memcpy(scores, given + row * n, n * sizeof *scores);
    s->kernels->router->f32(chosen_alone, share_alone, scores, 1, n, n_active, shape[RENORMALIZE] != 0);
    for (size_t k = 0; k < n_active; k++) {
        if (chosen_alone[k] != chosen[row * n_active + k])
            sweep_fail(s, "row %zu, choice %zu: %d alone, %d among others", row, k, chosen_alone[k],
                       chosen[row * n_active + k]);
        (void)sweep_judge_same(s, share[row * n_active + k], share_alone[k], row * n_active + k);
    }
}

/* Shared by threads: the same rows, with scores and results in other arrays. */
typedef struct shared_rows {
    const size_t *shape;
    const float *given;
    float *scores, *share;
    int32_t *chosen;
    assay_router_fn *kernel;
} shared_rows;

static void compute_part(const void *context, const sweep_part *part)
{
    const shared_rows *t = context;
    const size_t n = t->shape[N_EXPERTS], n_active = t->shape[N_ACTIVE];
    float *scores = t->scores + part->row * n;
    memcpy(scores, t->given + part->row * n, part->n_rows * n * sizeof *scores);
    t->kernel(t->chosen + part->row * n_active, t->share + part->row * n_active, scores, part->n_rows, n,
              n_active, t->shape[RENORMALIZE] != 0);
}

static void judge_threads(sweep *s, const int32_t *chosen, const float *share, const float *given,
                          const size_t *shape)
{
    if (!s->on_threads) return;
    const size_t n_rows = shape[N_ROWS], n_active = shape[N_ACTIVE], n = n_rows * n_active;
    const shared_rows t = {.shape = shape,
                           .given = given,
                           .scores =
                               sweep_alloc_guarded(s, "scores", n_rows * shape[N_EXPERTS] * sizeof *given),
                           .share = sweep_alloc_guarded(s, "share", n * sizeof *share),
                           .chosen = sweep_alloc_guarded(s, "chosen", n * sizeof *chosen),
                           .kernel = s->kernels->router->f32};
    sweep_judge_threads(
        s, &(sweep_work){.n_rows = n_rows,
                         .n_columns = 1,
                         .compute = compute_part,
                         .context = &t,
                         .outputs = {{"chosen", chosen, t.chosen, n_active, 0, n_active, n_active},
                                     {"share", share, t.share, n_active, 0, n_active, n_active}},
                         .n_outputs = 2});
}

/* Scores of a router that saturates, some hundreds from 0: about one in four is within 20 of the largest, the
 * probabilities of the others are 0 in float32. */
static void fill_saturated(sweep *s, float *score, size_t n)
{
    const float maximum = (float)sweep_between(s, 0, 2000) - 1000;
    for (size_t e = 0; e < n; e++) {
        const float below = (float)(sweep_bits(s) % (1U << 20)) / (1U << 20);
        score[e] = sweep_bits(s) % 4 ? maximum - DISTANCE_OF_ZERO - 10 - 500 * below : maximum - 20 * below;
    }
    score[sweep_between(s, 0, n - 1)] = maximum;
}

/* No probability is subnormal in float32. */
static void fill_scores(sweep *s, float *score, const size_t *shape, sweep_numbers numbers)
{
    const size_t n = shape[N_ROWS] * shape[N_EXPERTS];
    if (numbers == SWEEP_ZEROS) sweep_fill_sparse(s, score, n);
    else if (numbers != SWEEP_LARGE) sweep_fill(s, score, n, numbers);
    for (size_t r = 0; numbers == SWEEP_LARGE && r < shape[N_ROWS]; r++)
        fill_saturated(s, score + r * shape[N_EXPERTS], shape[N_EXPERTS]);
    if (numbers == SWEEP_RANDOM || numbers == SWEEP_ZEROS)
        for (size_t i = 0; i < n; i++) score[i] = fminf(fmaxf(score[i], -20), 20);
}

static void run_router(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers)
{
    (void)op;
    if (!sweep_begin(s, shape, DIMS, numbers)) return;
    size_t n = shape[N_ROWS] * shape[N_EXPERTS], n_active = shape[N_ACTIVE];
    float *given = sweep_alloc(s, NULL, n * sizeof *given),
          *scores = sweep_alloc_guarded(s, "scores", n * sizeof *scores);
    float *share = sweep_alloc_guarded(s, "share", shape[N_ROWS] * n_active * sizeof *share);
    int32_t *chosen = sweep_alloc_guarded(s, "chosen", shape[N_ROWS] * n_active * sizeof *chosen);
    fill_scores(s, given, shape, numbers);
    memcpy(scores, given, n * sizeof *scores);
    sweep_lock_inputs(s);
    s->kernels->router->f32(chosen, share, scores, shape[N_ROWS], shape[N_EXPERTS], n_active,
                            shape[RENORMALIZE] != 0);
    for (size_t r = 0; r < shape[N_ROWS]; r++) {
        const float *score = given + r * shape[N_EXPERTS];
        bool comparable = numbers != SWEEP_SPECIAL;
        if (judge_choice(s, chosen + r * n_active, score, shape[N_EXPERTS], n_active, comparable) &&
            comparable)
            judge_shares(s, chosen + r * n_active, share + r * n_active, score, shape);
    }
    judge_batch_invariance(s, chosen, share, given, shape);
    judge_threads(s, chosen, share, given, shape);
    sweep_end(s);
}

static void sweep_router_shapes(sweep *s, const sweep_op *op)
{
    for (size_t n_experts = 1; n_experts <= 160; n_experts += 1 + n_experts / 8)
        for (size_t i = 0; i < 12; i++)
            op->run(s, op,
                    (const size_t[DIMS]){sweep_between(s, 1, 5), n_experts,
                                         sweep_between(s, 1, n_experts < 9 ? n_experts : 9), i % 2},
                    sweep_turn(s));
}

static bool has_router(const assay_kernels *kernels, const sweep_op *op)
{
    (void)op;
    return kernels->router != NULL;
}

static bool allows_router(const sweep *s, const sweep_op *op, const size_t *shape)
{
    (void)s;
    (void)op;
    return sweep_in(shape, 1, 1, 1000) && sweep_in(shape + N_EXPERTS, 1, 1, MAX_EXPERTS) &&
           sweep_in(shape + N_ACTIVE, 1, 1, shape[N_EXPERTS]) && shape[RENORMALIZE] <= 1;
}

/* At least as many experts as are chosen. */
static void fit_router(const sweep *s, const sweep_op *op, size_t *shape)
{
    (void)s;
    (void)op;
    if (shape[N_EXPERTS] < shape[N_ACTIVE]) shape[N_EXPERTS] = shape[N_ACTIVE];
}

static const sweep_dim ROUTER_DIMS[DIMS] = {[N_ROWS] = {"rows", 3, 512},
                                            [N_EXPERTS] = {"experts", 24, MAX_EXPERTS},
                                            [N_ACTIVE] = {"chosen", 9, MAX_ACTIVE},
                                            [RENORMALIZE] = {NULL, 0, 1}};

const sweep_op SWEEP_ROUTER[1] = {
    {"router", 0, DIMS, ROUTER_DIMS, has_router, sweep_router_shapes, fit_router, allows_router, run_router}};
