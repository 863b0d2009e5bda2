/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/merger.h"

size_t plan_merger_step_width(const plan_merger_step *step, size_t width, size_t merge)
{
    switch (step->kind) {
    case PLAN_MERGER_NORM:
    case PLAN_MERGER_ACTIVATION:
    case PLAN_MERGER_ROW_ENDS:
    case PLAN_MERGER_ENDS: break;
    case PLAN_MERGER_CONCATENATE: return width * merge * merge;
    case PLAN_MERGER_LINEAR: return step->linear.weight.rows;
    case PLAN_MERGER_MLP: return step->mlp.down.weight.rows;
    case PLAN_MERGER_REPEAT: return 2 * width;
    }
    return width;
}

size_t plan_merger_width(const plan_merger *merger, size_t hidden, size_t merge)
{
    size_t width = hidden;
    for (size_t i = 0; i < merger->n_steps; i++)
        width = plan_merger_step_width(&merger->steps[i], width, merge);
    return width;
}

plan_merger_extra plan_merger_extra_rows(const plan_merger *merger)
{
    plan_merger_extra extra = {0};
    for (size_t i = 0; i < merger->n_steps; i++) {
        extra.row_end += merger->steps[i].kind == PLAN_MERGER_ROW_ENDS;
        extra.begin += merger->steps[i].kind == PLAN_MERGER_ENDS;
    }
    return extra;
}

size_t plan_merger_linears(const plan_merger_step *step)
{
    if (step->kind == PLAN_MERGER_MLP) return 3;
    return step->kind == PLAN_MERGER_LINEAR ? 1 : 0;
}

const plan_linear *plan_merger_linear(const plan_merger_step *step, size_t i)
{
    const plan_mlp *mlp = &step->mlp;
    if (step->kind == PLAN_MERGER_LINEAR) return &step->linear;
    return i == 0 ? &mlp->gate : i == 1 ? &mlp->up : &mlp->down;
}
