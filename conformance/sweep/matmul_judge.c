/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/matmul_judge.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/threads.h"

enum { OUTPUTS = 4 }; /* that are summed at once: a sum waits for each of its additions */

/* Sums a row for outputs first … first + OUTPUTS - 1; those from `end` on as the last before it. */
static void find_sums(const sweep_product *p, size_t row, size_t first, size_t end, double sum[OUTPUTS],
                      double magnitude[OUTPUTS])
{
    const size_t n_in = p->stored.n_in;
    const double *x = p->x + row * n_in, *w[OUTPUTS], *magnitudes[OUTPUTS];
    double sums[OUTPUTS] = {0}, all[OUTPUTS] = {0};
    for (size_t k = 0; k < OUTPUTS; k++) {
        const size_t o = first + k < end ? first + k : end - 1;
        w[k] = p->w + o * n_in;
        magnitudes[k] = p->magnitude + o * n_in;
    }
    for (size_t i = 0; i < n_in; i++) {
#pragma GCC unroll 4
        for (size_t k = 0; k < OUTPUTS; k++) {
            sums[k] += x[i] * w[k][i];
            all[k] += fabs(x[i]) * magnitudes[k][i];
        }
    }
    memcpy(sum, sums, sizeof sums);
    memcpy(magnitude, all, sizeof all);
}

/* Whether an output, `at` among all, agrees with its sum. */
static bool judge_output(const sweep_product *p, sweep *s, float y, double sum, double magnitude, size_t at)
{
    if (p->is_quantised && !isfinite(sum)) {
        if (isfinite(y)) sweep_fail(s, "element %zu: %g, expected %g", at, (double)y, sum);
        return true;
    }
    return p->is_exact ? sweep_judge_exact(s, y, sum, at) : sweep_judge(s, y, sum, magnitude, at);
}

static void judge_row(const sweep_product *p, sweep *s, size_t row, size_t first, size_t end)
{
    double sum[OUTPUTS], magnitude[OUTPUTS];
    for (size_t o = first; o < end; o++) {
        const size_t k = (o - first) % OUTPUTS;
        if (k == 0) find_sums(p, row, o, end, sum, magnitude);
        const float y = p->of.y[row * p->of.ld_y + o];
        if (!judge_output(p, s, y, sum[k], magnitude[k], row * p->stored.n_out + o)) return;
    }
}

/* Outputs outside the panels, and words between the rows, must be as sweep_alloc_guarded left them. */
static void judge_rest(const sweep_product *p, sweep *s, size_t first, size_t end)
{
    const size_t ld = p->of.ld_y;
    for (size_t i = 0; i < sweep_elements(p->of.n_rows, p->stored.n_out, ld); i++) {
        uint32_t bits;
        memcpy(&bits, p->of.y + i, sizeof bits);
        if ((i % ld < first || i % ld >= end) && bits != UINT32_MAX)
            sweep_fail(s, "row %zu, column %zu is written", i / ld, i % ld);
    }
}

/* The call for the rows from `row` on. */
static assay_product product_from(const sweep_product *p, size_t row)
{
    assay_product from = p->of;
    from.x = (const char *)p->of.x + row * p->of.ld_x * dtype_size(p->x_dtype);
    from.y += row * p->of.ld_y;
    if (!p->of.x_scale) return from;
    from.x_scale += row * p->n_scales;
    from.x_sum += row * p->n_sums;
    return from;
}

/* One row, computed as a batch of one and panel by panel, must have the same bits. */
static void judge_batch_invariance(const sweep_product *p, sweep *s)
{
    const size_t row = sweep_between(s, 0, p->of.n_rows - 1), n_out = p->stored.n_out;
    float *alone = sweep_alloc_guarded(s, "y", n_out * sizeof *alone);
    assay_product one = product_from(p, row);
    one.y = alone;
    one.ld_y = n_out;
    one.n_rows = one.n_panels = 1;
    for (size_t k = 0; k < p->of.n_panels; k++) {
        one.first_panel = p->of.first_panel + k;
        p->run(p, &one);
        const size_t first = one.first_panel * p->packed.panel, end = first + p->packed.panel;
        for (size_t o = first; o < end && o < n_out; o++)
            if (!sweep_judge_same(s, p->of.y[row * p->of.ld_y + o], alone[o], row * n_out + o)) return;
    }
}

static void compute_part(const void *context, const sweep_part *part)
{
    const sweep_product *shared = context; /* the product into another y */
    assay_product some = product_from(shared, part->row);
    some.n_rows = part->n_rows;
    some.first_panel += part->column;
    some.n_panels = part->n_columns;
    shared->run(shared, &some);
}

static void judge_threads(const sweep_product *p, sweep *s, size_t n_y)
{
    if (!s->on_threads) return;
    sweep_product shared = *p;
    const size_t panel = p->packed.panel;
    shared.of.y = sweep_alloc_guarded(s, "y", n_y * sizeof *p->of.y);
    sweep_judge_threads(s, &(sweep_work){.n_rows = p->of.n_rows,
                                         .n_columns = p->of.n_panels,
                                         .compute = compute_part,
                                         .context = &shared,
                                         .outputs = {{"y", p->of.y, shared.of.y, p->of.ld_y,
                                                      p->of.first_panel * panel, panel, p->stored.n_out}},
                                         .n_outputs = 1});
}

void sweep_judge_product(sweep_product *p, sweep *s)
{
    p->of.ld_y = p->stored.n_out + sweep_between(s, 0, 3);
    const size_t n_y = sweep_elements(p->of.n_rows, p->stored.n_out, p->of.ld_y);
    p->of.y = sweep_alloc_guarded(s, "y", n_y * sizeof *p->of.y);
    const assay_product *call = sweep_alloc_copy(s, "the product", &p->of, sizeof p->of);
    sweep_lock_inputs(s);
    p->run(p, call);
    size_t first = p->of.first_panel * p->packed.panel, end = first + p->of.n_panels * p->packed.panel;
    if (end > p->stored.n_out) end = p->stored.n_out;
    for (size_t r = 0; r < p->of.n_rows; r++) judge_row(p, s, r, first, end);
    judge_rest(p, s, first, end);
    judge_batch_invariance(p, s);
    judge_threads(p, s, n_y);
}
