/* Convolutional towers agree with timm, and their rows are bit-identical for any workers and any other images
 * in the pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower/conv_tower.h"

#include "base/tests/support.h"
#include "model/inputs/media_list.h"
#include "model/plan/tests/conv_towers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE = 1, MOST_ROWS = 16, N_IMAGES = 3 };

/* A model that consists of a tower. */
typedef struct opened {
    plan plan;
    fp_model model;
} opened;

static void open_tower(opened *o, size_t side, size_t n_workers)
{
    assay_error e;
    fp_isa isa;
    *o = (opened){.plan = {.dir = "tower", .hidden = CONV_HIDDEN}};
    ck_assert_int_eq(array_list_open(&o->plan.arrays, &e), ASSAY_OK);
    conv_tower_make(&o->plan.vision, side, o->plan.arrays);
    fp_model *m = &o->model;
    m->plan = &o->plan;
    ck_assert_int_eq(fp_isa_choose(getenv("ASSAY_ISA"), "ASSAY_ISA", &isa, &e), ASSAY_OK);
    m->kernels = fp_kernels_pick(isa);
    ck_assert_int_eq(fp_pool_open(n_workers, 0, &m->pool, &e), ASSAY_OK);
    m->packer =
        (fp_packer){.pool = m->pool, .kernels = &m->kernels, .arrays = o->plan.arrays, .compute = ASSAY_F32};
    fp_tower_pack(&m->packer, &m->vision, &o->plan.vision);
    m->ones = fp_tower_ones(&m->packer, &o->plan);
    ck_assert_msg(array_list_realise(o->plan.arrays, &e) == ASSAY_OK, "%s", e.text);
}

static void close_tower(opened *o)
{
    fp_pool_free(o->model.pool);
    array_list_free(o->plan.arrays);
    fp_pack_free(&o->model.packer);
    conv_tower_free(&o->plan.vision);
}

/* The caller releases it. */
static const medium *make_image(const plan *p, size_t height, size_t width)
{
    assay_error e;
    static double pixels[CONV_CHANNELS * 32 * 32];
    const size_t n_tokens = p->vision.conv.side * p->vision.conv.side;
    int32_t tokens[MOST_ROWS];
    conv_image(pixels, height, width);
    for (size_t i = 0; i < n_tokens; i++) tokens[i] = IMAGE;
    const assay_tensor tensor = {"pixel_values", ASSAY_F64, 4, {1, CONV_CHANNELS, height, width}, pixels};
    const assay_item item = {.kind = ASSAY_ITEM_IMAGE, .tensors = &tensor, .n_tensors = 1};
    const assay_step step = {.tokens = tokens, .n_tokens = n_tokens, .items = &item, .n_items = 1};
    media_list list = {0};
    ck_assert_msg(media_list_add(&list, p, &step, 0, tokens, true, &e) == ASSAY_OK, "%s", e.text);
    const medium *m = list.place[0].medium;
    medium_retain(m);
    media_list_free(&list);
    return m;
}

/* Evaluates n images of these sizes in one pass. out: [n, side², 8] */
static void run_tower(opened *o, size_t n, const size_t (*sizes)[2], fp_tracer tracer, float *out)
{
    fp_scratch scratch = {0};
    fp_frame frames[N_IMAGES];
    fp_tower_pass v = {.pass = {.model = &o->model, .plan = &o->plan, .scratch = &scratch, .tracer = tracer},
                       .tower = &o->plan.vision,
                       .packed = &o->model.vision,
                       .layout = {.frames = frames, .n_frames = n}};
    for (size_t i = 0; i < n; i++)
        frames[i] = (fp_frame){.medium = make_image(&o->plan, sizes[i][0], sizes[i][1])};
    float *x;
    ck_assert_int_eq(fp_conv_tower_run(&v, &x), ASSAY_OK);
    ck_assert_uint_eq(v.layout.n_tokens, n * o->plan.vision.conv.side * o->plan.vision.conv.side);
    memcpy(out, x, v.layout.n_rows * CONV_HIDDEN * sizeof *out);
    for (size_t i = 0; i < n; i++) medium_release(frames[i].medium);
    scratch.n = 0;
    fp_scratch_free(&scratch);
}

static const struct {
    size_t side, size[1][2];
    const double *expected;
} CASES[] = {{2, {{CONV_HEIGHT, CONV_WIDTH}}, conv_averaged},
             {4, {{CONV_HEIGHT, CONV_WIDTH}}, conv_interpolated},
             {2, {{17, 16}}, conv_other}};

/* timm itself is up to 4.9e-6 away in float32. */
START_TEST(a_tower_equals_timm)
{
    opened o;
    float x[MOST_ROWS * CONV_HIDDEN];
    open_tower(&o, CASES[_i].side, 1);
    run_tower(&o, 1, CASES[_i].size, (fp_tracer){0}, x);
    for (size_t i = 0; i < CASES[_i].side * CASES[_i].side * CONV_HIDDEN; i++)
        ck_assert_msg(fabs((double)x[i] - CASES[_i].expected[i]) < 1e-5, "[%zu]: %.9g, not %.9g", i,
                      (double)x[i], CASES[_i].expected[i]);
    close_tower(&o);
}
END_TEST

START_TEST(rows_do_not_depend_on_workers_or_other_images)
{
    static const size_t sizes[N_IMAGES][2] = {{9, 20}, {22, 13}, {31, 30}};
    enum { N = 4 * CONV_HIDDEN };
    opened o;
    float all[N_IMAGES * N], alone[N];
    open_tower(&o, 2, 3);
    run_tower(&o, N_IMAGES, sizes, (fp_tracer){0}, all);
    close_tower(&o);
    open_tower(&o, 2, 1);
    for (size_t i = 0; i < N_IMAGES; i++) {
        run_tower(&o, 1, &sizes[i], (fp_tracer){0}, alone);
        ck_assert_mem_eq(alone, all + i * N, sizeof alone);
    }
    close_tower(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/conv");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_tower_equals_timm, 0, sizeof CASES / sizeof *CASES);
    tcase_add_test(all, rows_do_not_depend_on_workers_or_other_images);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
