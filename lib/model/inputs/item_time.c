/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item_time.h"

#include <math.h>

#include "base/dtype.h"
#include "base/error.h"
#include "model/inputs/item_shape.h"

/* Largest positions: the largest float below 2^31; the largest up to which float32 has every whole number. */
static const double MOST = 2147483520, MOST_WHOLE = 16777216;

/* Checks that the published products are whole numbers, and those of the interval. */
static assay_status check_whole(const plan_tower *tower, const char *name, float seconds,
                                const item_content *c, assay_error *err)
{
    for (size_t k = 1; c->interval != 0 && k < c->grid[0]; k++) {
        const float product = (float)k * seconds, time = product * (float)tower->tokens_per_second;
        if (time == (float)k * (float)c->interval && time == floorf(time)) continue;
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "tensor '%s': found %.9g, which places frame %zu at %.9g, expected each frame at a "
                          "whole number: there are %g positions a second",
                          name, (double)seconds, k, (double)time, tower->tokens_per_second);
    }
    return ASSAY_OK;
}

assay_status item_time_read(const plan_tower *tower, const assay_tensor *seconds, item_content *out,
                            assay_error *err)
{
    const assay_tensor *t = seconds;
    const char *name = t ? t->name : "image_grid_thw";
    const double per_second = tower->tokens_per_second;
    double value = 1;
    if (t && t->dtype != ASSAY_F32 && t->dtype != ASSAY_F64)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "tensor '%s': found type %s, expected F32 or F64", name,
                          dtype_name(t->dtype));
    if (t && t->rank != 0 && !(t->rank == 1 && t->shape[0] == 1)) return item_shape_fail(t, "[1] or []", err);
    if (t) dtype_to_f64(&value, t->data, t->dtype, 1);
    out->interval_is_double = t && t->dtype == ASSAY_F64 && !tower->spans_time;
    out->interval = out->interval_is_double ? per_second * value : (float)((float)per_second * (float)value);
    const double n_intervals = out->grid[0] > 1 ? (double)(out->grid[0] - 1) : 1,
                 most = (tower->spans_time ? MOST_WHOLE : MOST) / n_intervals;
    if (!(out->interval >= 0 && out->interval <= most))
        return assay_fail(err, ASSAY_EINVAL, "tensor '%s': found %g, expected at least 0 and at most %g",
                          name, value, most / per_second);
    return tower->spans_time ? check_whole(tower, name, (float)value, out, err) : ASSAY_OK;
}
