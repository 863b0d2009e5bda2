/* The seams of images; see seams.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"
#include "fastpath/layer.h"
#include "fastpath/ops.h"
#include "fastpath/session/sample_features.h"
#include "fastpath/tower/merge.h"
#include "fastpath/tower/padding.h"
#include "fastpath/tower/taps.h"
#include "fastpath/tower/tiles.h"
#include "model/inputs/positions.h"

__typeof__(positions_fill) __real_positions_fill, __wrap_positions_fill;
__typeof__(fp_layout_make) __real_fp_layout_make, __wrap_fp_layout_make;
__typeof__(fp_sample_place) __real_fp_sample_place, __wrap_fp_sample_place;
__typeof__(fp_layer_run) __real_fp_layer_run, __wrap_fp_layer_run;
__typeof__(fp_tower_deepstack) __real_fp_tower_deepstack, __wrap_fp_tower_deepstack;
__typeof__(fp_taps_find) __real_fp_taps_find, __wrap_fp_taps_find;
__typeof__(fp_audio_padded) __real_fp_audio_padded, __wrap_fp_audio_padded;
__typeof__(fp_tiles_rows) __real_fp_tiles_rows, __wrap_fp_tiles_rows;
__typeof__(fp_tiles_join) __real_fp_tiles_join, __wrap_fp_tiles_join;
__typeof__(fp_sample_see) __real_fp_sample_see, __wrap_fp_sample_see;
__typeof__(fp_gate_value) __real_fp_gate_value, __wrap_fp_gate_value;
__typeof__(fp_crops_open) __real_fp_crops_open, __wrap_fp_crops_open;
__typeof__(fp_crops_row) __real_fp_crops_row, __wrap_fp_crops_row;
__typeof__(medium_pixels) __real_medium_pixels, __wrap_medium_pixels;
__typeof__(medium_time) __real_medium_time, __wrap_medium_time;
__typeof__(plan_convolution_before) __real_plan_convolution_before, __wrap_plan_convolution_before;

size_t __wrap_plan_convolution_before(const plan_convolution *c, size_t n)
{
    return fault_planted()->images.padding ? fault_planted()->images.padding(c)
                                           : __real_plan_convolution_before(c, n);
}

int32_t __wrap_medium_time(const medium *m, size_t frame)
{
    return fault_planted()->images.time ? fault_planted()->images.time(m, frame)
                                        : __real_medium_time(m, frame);
}

void __wrap_positions_fill(const plan *p, const media_list *list, const int32_t *tokens,
                           const int32_t *before, size_t from, size_t n, int32_t *position)
{
    if (!fault_planted()->images.positions) {
        __real_positions_fill(p, list, tokens, before, from, n, position);
        return;
    }
    /* All of the sample: the positions `before` have been changed already. */
    int32_t *all = malloc((from + n) * ROPE_AXES_MAX * sizeof *all);
    if (!all) abort();
    __real_positions_fill(p, list, tokens, NULL, 0, from + n, all);
    fault_planted()->images.positions(p, list, from + n, all);
    memcpy(position, all + from * ROPE_AXES_MAX, n * ROPE_AXES_MAX * sizeof *all);
    free(all);
}

bool __wrap_fp_layout_make(fp_layout *l, const plan_tower *tower, fp_scratch *scratch)
{
    const bool ok = __real_fp_layout_make(l, tower, scratch);
    if (ok && fault_planted()->images.layout) fault_planted()->images.layout(l);
    return ok;
}

bool __wrap_fp_sample_place(const fp_sample *one, const plan *p, size_t from, size_t n, size_t *scratch,
                            fp_placed *placed)
{
    const bool has_features = __real_fp_sample_place(one, p, from, n, scratch, placed);
    if (has_features && fault_planted()->images.features) fault_planted()->images.features(one, n, placed);
    return has_features;
}

assay_status __wrap_fp_layer_run(fp_pass *pass, size_t i, float *x)
{
    if (i == 0 && fault_planted()->images.embedded) fault_planted()->images.embedded(pass);
    return __real_fp_layer_run(pass, i, x);
}

assay_status __wrap_fp_tower_deepstack(fp_tower_pass *v, size_t k, const float *x, float *out)
{
    const assay_status rc = __real_fp_tower_deepstack(v, k, x, out);
    if (rc == ASSAY_OK && fault_planted()->images.deepstack)
        fault_planted()->images.deepstack(k, out, v->layout.n_tokens, v->pass.plan->hidden);
    return rc;
}

fp_taps __wrap_fp_taps_find(const plan_table *t, size_t i, size_t n)
{
    fp_taps taps = __real_fp_taps_find(t, i, n);
    if (fault_planted()->images.taps) fault_planted()->images.taps(t, i, n, &taps);
    return taps;
}

bool __wrap_fp_crops_open(fp_crops *c, fp_scratch *scratch, const float *x, size_t side, size_t width,
                          const size_t layout[2], size_t margin)
{
    const bool ok = __real_fp_crops_open(c, scratch, x, side, width, layout, margin);
    if (ok && fault_planted()->images.crops) fault_planted()->images.crops(c);
    return ok;
}

void __wrap_fp_crops_row(const fp_crops *c, size_t token, float *y)
{
    __real_fp_crops_row(c, token, y);
    if (fault_planted()->images.crop_row) fault_planted()->images.crop_row(y, c->width);
}

size_t __wrap_fp_audio_padded(const plan_audio *audio, size_t n_frames, size_t n)
{
    if (fault_planted()->images.padded) return fault_planted()->images.padded(audio, n_frames, n);
    return __real_fp_audio_padded(audio, n_frames, n);
}

bool __wrap_fp_tiles_rows(fp_layout *l, const plan_tower *tower, fp_scratch *scratch)
{
    const bool ok = __real_fp_tiles_rows(l, tower, scratch);
    if (ok && fault_planted()->images.tiles) fault_planted()->images.tiles(l);
    return ok;
}

void __wrap_fp_tiles_join(const fp_tower_pass *v, const float *x, size_t r, float *out)
{
    const size_t d = v->tower->hidden, n = v->layout.n_rows * d;
    __real_fp_tiles_join(v, x, r, out);
    const bool moves = fault_planted()->images.states_apart && v->tower->kind == PLAN_TOWER_TILES;
    for (size_t k = 0; moves && k < v->tower->tiles.n_collected; k++)
        memcpy(out + (1 + k) * d, v->collected + k * n + r * d, d * sizeof *out);
}

bool __wrap_fp_sample_see(const fp_sample *one, size_t from, size_t n, fp_sight *sight)
{
    const bool sees = __real_fp_sample_see(one, from, n, sight);
    if (sees && fault_planted()->images.sees) fault_planted()->images.sees(one, n, sight);
    return sees;
}

double __wrap_fp_gate_value(const float *gate)
{
    return gate && fault_planted()->images.gates_plain ? (double)*gate : __real_fp_gate_value(gate);
}

void __wrap_medium_pixels(const medium *m, size_t first, size_t n, double *out)
{
    __real_medium_pixels(m, first, n, out);
    if (fault_planted()->images.pixels) fault_planted()->images.pixels(out, n);
}
