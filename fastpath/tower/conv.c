/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/conv.h"

#include "fastpath/ops.h"
#include "fastpath/tower/conv_attend.h"

/* out->x: where the last unit's output goes. */
static assay_status run_units(fp_tower_pass *v, const plan_conv_block *b, const fp_conv_block *w,
                              const fp_image *in, fp_image *out)
{
    fp_image from = *in;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < b->n_units; i++) {
        fp_image to = {.x = i + 1 == b->n_units ? out->x : NULL};
        rc = fp_conv_unit_run(v, &b->units[i], &w->units[i], &from, &to);
        from = to;
    }
    *out = from;
    return rc;
}

assay_status fp_conv_block_run(fp_tower_pass *v, const plan_conv_block *b, const fp_conv_block *w,
                               const fp_image *in, fp_image *out)
{
    const size_t mark = v->pass.scratch->n;
    const assay_status rc =
        b->kind == PLAN_CONV_ATTENTION ? fp_conv_attend(v, b, w, in, out) : run_units(v, b, w, in, out);
    v->pass.scratch->n = mark;
    if (rc != ASSAY_OK) return rc;
    const size_t n = fp_image_pixels(out);
    if (w->scale) fp_scale_columns(out->x, n, out->channels, w->scale);
    if (b->is_residual) fp_add(out->x, in->x, n * out->channels);
    return ASSAY_OK;
}
