/* Towers of every kind agree with their definition, and features are bit-identical for any workers and any
 * other media in the pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/tests/naive_tower.h"
#include "fastpath/tower/tower.h"

/* The towers of published families, in small, and one that combines what is left. */
static const tower_shape SHAPES[] = {
    {.hidden = 24,
     .n_layers = 2,
     .n_heads = 3,
     .n_kv_heads = 3,
     .head_dim = 8,
     .intermediate = 40,
     .patch = 4,
     .frames = 2,
     .merge = 2,
     .text_hidden = 20,
     .order = PLAN_PATCHES_BLOCKS,
     .norm = PLAN_LAYER_NORM,
     .has_rope = true,
     .has_biases = true,
     .activation = ASSAY_QUICK_GELU},
    {.hidden = 24,
     .n_layers = 4,
     .n_heads = 2,
     .n_kv_heads = 2,
     .head_dim = 12,
     .intermediate = 30,
     .patch = 4,
     .frames = 2,
     .merge = 2,
     .text_hidden = 20,
     .window = 2,
     .full_every = 2,
     .order = PLAN_PATCHES_BLOCKS,
     .norm = PLAN_RMS_NORM,
     .has_rope = true,
     .is_gated = true,
     .has_biases = true,
     .activation = ASSAY_SILU},
    {.hidden = 16,
     .n_layers = 3,
     .n_heads = 2,
     .n_kv_heads = 2,
     .head_dim = 8,
     .intermediate = 22,
     .patch = 4,
     .frames = 2,
     .merge = 2,
     .text_hidden = 30,
     .order = PLAN_PATCHES_BLOCKS,
     .norm = PLAN_LAYER_NORM,
     .table = PLAN_TABLE_BILINEAR,
     .aligns_corners = true,
     .table_side = 6,
     .has_rope = true,
     .has_biases = true,
     .activation = ASSAY_GELU_TANH,
     .n_deepstack = 2},
    {.hidden = 24,
     .n_layers = 2,
     .n_heads = 4,
     .n_kv_heads = 2,
     .head_dim = 8,
     .intermediate = 36,
     .patch = 4,
     .frames = 1,
     .merge = 1,
     .pool = 3,
     .text_hidden = 20,
     .order = PLAN_PATCHES_RASTER,
     .norm = PLAN_RMS_NORM,
     .table = PLAN_TABLE_AXES,
     .table_side = 40,
     .has_rope = true,
     .has_quarters = true,
     .is_gated = true,
     .channels_last = true,
     .has_post_norms = true,
     .has_head_norms = true,
     .has_clips = true,
     .is_standardised = true,
     .activation = ASSAY_GELU_TANH},
    {.hidden = 20,
     .n_layers = 2,
     .n_heads = 2,
     .n_kv_heads = 1,
     .head_dim = 12,
     .intermediate = 21,
     .patch = 3,
     .frames = 2,
     .merge = 3,
     .text_hidden = 17,
     .window = 1,
     .full_every = 2,
     .order = PLAN_PATCHES_RASTER,
     .norm = PLAN_RMS_NORM,
     .table = PLAN_TABLE_BICUBIC,
     .table_side = 5,
     .has_rope = true,
     .has_in_norm = true,
     .norm_is_last = true,
     .has_biases = true,
     .activation = ASSAY_GELU},
    {.hidden = 20,
     .n_layers = 1,
     .n_heads = 2,
     .n_kv_heads = 2,
     .head_dim = 10,
     .intermediate = 21,
     .patch = 3,
     .frames = 1,
     .merge = 2,
     .text_hidden = 17,
     .order = PLAN_PATCHES_RASTER,
     .norm = PLAN_LAYER_NORM,
     .table = PLAN_TABLE_BILINEAR,
     .table_side = 7,
     .activation = ASSAY_GELU},
    {.hidden = 20,
     .n_layers = 2,
     .n_heads = 2,
     .n_kv_heads = 2,
     .head_dim = 12,
     .intermediate = 21,
     .patch = 3,
     .frames = 2,
     .merge = 2,
     .text_hidden = 17,
     .order = PLAN_PATCHES_BLOCKS,
     .norm = PLAN_LAYER_NORM,
     .table = PLAN_TABLE_BICUBIC,
     .table_side = 5,
     .has_rope = true,
     .has_in_norm = true,
     .has_post_norms = true,
     .has_head_norms = true,
     .is_gated = true,
     .is_deep = true,
     .activation = ASSAY_SILU,
     .n_deepstack = 1},
    {.hidden = 20,
     .n_layers = 1,
     .n_heads = 2,
     .n_kv_heads = 2,
     .head_dim = 10,
     .intermediate = 21,
     .patch = 3,
     .frames = 1,
     .merge = 2,
     .text_hidden = 17,
     .order = PLAN_PATCHES_RASTER,
     .norm = PLAN_LAYER_NORM,
     .table = PLAN_TABLE_BILINEAR,
     .table_side = 7,
     .has_biases = true,
     .adds_rows = true,
     .activation = ASSAY_GELU},
    {.hidden = 64,
     .n_layers = 2,
     .n_heads = 2,
     .n_kv_heads = 2,
     .head_dim = 32,
     .intermediate = 96,
     .patch = 4,
     .frames = 2,
     .merge = 2,
     .text_hidden = 20,
     .order = PLAN_PATCHES_BLOCKS,
     .norm = PLAN_LAYER_NORM,
     .table = PLAN_TABLE_BILINEAR,
     .table_side = 6,
     .has_rope = true,
     .has_biases = true,
     .is_quantised = true,
     .activation = ASSAY_GELU_TANH,
     .n_deepstack = 1},
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

/* Frames, and blocks of patches that make one token: small ones, long ones, and one with more rows than a
 * block of rows and more keys than a page. */
static const size_t GRIDS[][3] = {{1, 1, 1}, {1, 2, 3}, {3, 3, 2}, {1, 5, 4}, {1, 1, 9}, {1, 13, 13}};
enum { N_GRIDS = sizeof GRIDS / sizeof *GRIDS };

static size_t side_of(const tower_shape *s)
{
    return s->merge * (s->pool ? s->pool : 1);
}

static size_t frames_of(const tower_shape *s, size_t grid)
{
    return s->adds_rows ? 1 : GRIDS[grid][0];
}

static const medium *medium_of(const fp_model *m, const tower_shape *s, size_t grid, unsigned seed)
{
    const size_t side = side_of(s);
    return towers_medium(m, frames_of(s, grid), GRIDS[grid][1] * side, GRIDS[grid][2] * side, seed);
}

static fp_features *run(const fp_model *m, const medium *input)
{
    fp_features *f;
    ck_assert_int_eq(fp_tower_run(m, input, &f), ASSAY_OK);
    return f;
}

/* The error of a wrong place, segment or order is 1e-2 or more. */
static void expect_level(const fp_features *f, size_t level, size_t first, const double *expected, size_t n,
                         const char *what)
{
    const float *found = fp_features_row(f, level, first);
    double top = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs((double)found[i] - expected[i]);
        top = fmax(top, fabs(expected[i]));
        worst = off <= worst ? worst : off;
    }
    ck_assert_msg(worst <= 2e-5 * top, "%s, level %zu: off by %g of %g", what, level, worst, top);
}

START_TEST(features_are_those_of_the_definition)
{
    const tower_shape *s = &SHAPES[_i / N_GRIDS];
    const size_t *grid = GRIDS[_i % N_GRIDS], side = side_of(s),
                 n_frames = frames_of(s, (size_t)_i % N_GRIDS);
    fp_model *m = towers_open(s, ASSAY_F32, 2);
    const size_t n_tokens =
        plan_tower_tokens(&m->plan->vision, (const size_t[]){1, grid[1] * side, grid[2] * side});
    const medium *input = medium_of(m, s, (size_t)_i % N_GRIDS, 7);
    fp_features *f = run(m, input);
    double *expected = calloc((1 + s->n_deepstack) * n_tokens * s->text_hidden, sizeof *expected);
    ck_assert_ptr_nonnull(expected);
    for (size_t frame = 0; frame < n_frames; frame++) {
        char what[64];
        (void)snprintf(what, sizeof what, "shape %d, grid %d, frame %zu", _i / N_GRIDS, _i % N_GRIDS, frame);
        naive_tower_run(s, &m->plan->vision, frame, grid[1] * side, grid[2] * side, 7, expected);
        for (size_t level = 0; level <= s->n_deepstack; level++)
            expect_level(f, level, frame * n_tokens, expected + level * n_tokens * s->text_hidden,
                         n_tokens * s->text_hidden, what);
    }
    free(expected);
    fp_features_release(f);
    medium_release(input);
    towers_free(m);
}
END_TEST

static void expect_equal(const fp_features *found, const fp_features *expected, const char *what)
{
    ck_assert_uint_eq(fp_features_bytes(found), fp_features_bytes(expected));
    ck_assert_msg(
        memcmp(fp_features_row(found, 0, 0), fp_features_row(expected, 0, 0), fp_features_bytes(found)) == 0,
        "%s: other bits", what);
}

static bool go_on(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)context;
    (void)sample;
    (void)tensor;
    (void)data;
    return true;
}

/* All media in one pass, in this order and reversed. */
static void expect_together(const fp_model *m, const medium *const *list, fp_features *const *expected)
{
    const fp_tracer tracer = {.fn = go_on};
    const medium *reversed[N_GRIDS];
    fp_features *found[N_GRIDS];
    for (size_t i = 0; i < N_GRIDS; i++) reversed[i] = list[N_GRIDS - 1 - i];
    ck_assert_int_eq(fp_tower_trace(m, &tracer, list, N_GRIDS, found), ASSAY_OK);
    for (size_t i = 0; i < N_GRIDS; i++) {
        expect_equal(found[i], expected[i], "together");
        fp_features_release(found[i]);
    }
    ck_assert_int_eq(fp_tower_trace(m, &tracer, reversed, N_GRIDS, found), ASSAY_OK);
    for (size_t i = 0; i < N_GRIDS; i++) {
        expect_equal(found[i], expected[N_GRIDS - 1 - i], "reversed");
        fp_features_release(found[i]);
    }
}

START_TEST(features_are_bit_identical_for_any_workers_and_other_media)
{
    static const size_t WORKERS[] = {1, 2, 4};
    static const assay_dtype TYPES[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    const tower_shape *s = &SHAPES[_i / 3];
    const medium *list[N_GRIDS];
    fp_features *expected[N_GRIDS] = {0};
    for (size_t w = 0; w < 3; w++) {
        fp_model *m = towers_open(s, TYPES[_i % 3], WORKERS[w]);
        for (size_t i = 0; i < N_GRIDS; i++) {
            list[i] = medium_of(m, s, i, (unsigned)i);
            fp_features *f = run(m, list[i]);
            if (expected[i]) {
                expect_equal(f, expected[i], "workers");
                fp_features_release(f);
            } else {
                expected[i] = f;
            }
        }
        expect_together(m, list, expected);
        for (size_t i = 0; i < N_GRIDS; i++) medium_release(list[i]);
        towers_free(m);
    }
    for (size_t i = 0; i < N_GRIDS; i++) fp_features_release(expected[i]);
}
END_TEST

/* The types are not one, and differ by little. Only the last shape has weights that int8 multiplies. */
START_TEST(narrower_types_are_other_numbers_close_by)
{
    static const assay_dtype TYPES[] = {ASSAY_F32, ASSAY_BF16, ASSAY_I8};
    const tower_shape *s = &SHAPES[N_SHAPES - 1];
    fp_features *found[3];
    for (size_t t = 0; t < 3; t++) {
        fp_model *m = towers_open(s, TYPES[t], 2);
        const medium *input = medium_of(m, s, N_GRIDS - 1, 5);
        found[t] = run(m, input);
        medium_release(input);
        towers_free(m);
    }
    const size_t n = fp_features_bytes(found[0]) / sizeof(float);
    for (size_t t = 0; t < 3; t++)
        for (size_t k = 0; k < t; k++) {
            const float *a = fp_features_row(found[t], 0, 0), *b = fp_features_row(found[k], 0, 0);
            double top = 0, worst = 0;
            for (size_t i = 0; i < n; i++) {
                top = fmax(top, fabs((double)b[i]));
                worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
            }
            ck_assert_msg(worst > 0 && worst <= 0.05 * top, "%s and %s: off by %g of %g",
                          dtype_name(TYPES[t]), dtype_name(TYPES[k]), worst, top);
        }
    for (size_t t = 0; t < 3; t++) fp_features_release(found[t]);
}
END_TEST

/* Frames do not attend to each other, and equal ones are equal wherever they stand. */
START_TEST(a_frame_of_a_video_is_bit_identical_to_it_in_a_shorter_one)
{
    const tower_shape *s = &SHAPES[1];
    fp_model *m = towers_open(s, ASSAY_F32, 2);
    const medium *many = towers_medium(m, 40, 12, 12, 3), *few = towers_medium(m, 2, 12, 12, 3);
    fp_features *f = run(m, many), *g = run(m, few);
    ck_assert_uint_gt(medium_patches(many), FP_TOWER_PASS);
    ck_assert_mem_eq(fp_features_row(f, 0, 0), fp_features_row(g, 0, 0), fp_features_bytes(g));
    fp_features_release(f);
    fp_features_release(g);
    medium_release(many);
    medium_release(few);
    towers_free(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/tower");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, features_are_those_of_the_definition, 0, N_SHAPES * N_GRIDS);
    tcase_add_loop_test(tc, features_are_bit_identical_for_any_workers_and_other_media, 0, 3 * N_SHAPES);
    tcase_add_test(tc, narrower_types_are_other_numbers_close_by);
    tcase_add_test(tc, a_frame_of_a_video_is_bit_identical_to_it_in_a_shorter_one);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
