/* Whole towers, against the same towers in torch (float64), and their traces.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/tower.h"

#include "base/tests/support.h"
#include "ref/tests/towers.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 8, MOST_PATCHES = 32 };

static const size_t BLOCKS_GRIDS[2][3] = {{1, 4, 6}, {2, 2, 2}}, RASTER_GRID[1][3] = {{1, 2, 4}};

static const double BLOCKS_MERGED[] = {
    0.671826017441643,  -0.34255232459465484, 0.5888858332352327,  -0.4254925088010652, -0.5352553232226611,
    0.6704413458586944, -0.3263572264783972,  -0.3181347760433948, -1.3149333483804864, 0.590659021535561,
    0.2815516141115319, -0.7973739573047133,  0.13333239385593804, -0.9455931775603073, -0.19882270354958287,
    0.5649257870874911, -0.5987124060680828,  0.5662142403557637,  -0.5974239527998101, -0.8787926225715851,
    1.2343658669239077, 0.31401664821723074,  0.32366641269690105, -0.596682806009776,  -0.5349935516397414,
    0.8837813665654217, -0.03932863605129508, 0.09255198350092464, -0.8305580191157922, 0.13664778843297481,
    0.851115133613336,  0.058302138853077584, 0.42912254205069983, -0.3636904527095586, -0.2352801570268574,
    0.7964743546909521, -0.31619188800437337, -0.4932927281782523, -1.6059589708735778, 0.950848465773427};
static const double BLOCKS_DEEPSTACK[] = {
    -0.41496907000442085, -1.0377104054905222,  -1.1004834675521933,   -1.020914751983033,
    1.3320356252600174,   0.07894883890305368,  -0.14076901922071214,  -0.08667421520625798,
    0.02130272673531841,  0.39250854925227396,  -0.020505218967790284, -0.9784813186832976,
    -1.0390003247306396,  -1.0058186102487205,  1.2162592106626176,    -0.42250959485729644,
    -0.7795065860618859,  -0.9077522455409948,  -0.9133455259310013,   1.3113815520384806,
    -0.515117404661232,   -0.4156914397943548,  -0.4132209874964812,   -0.26374765404991996,
    0.7750170556114219,   -0.4363793239659285,  -0.7043696780879988,   -0.6580925516396522,
    -0.49023558989954186, 0.9147911430185953,   -0.4615307153574575,   -0.6620267765536445,
    -0.7143642320360709,  -0.586331985752037,   0.968175387086287,     -0.2647872612030343,
    -0.35726769202963593, -0.32848955466639035, -0.280340714582918,    0.8285208577771762};
static const double RASTER_MERGED[] = {
    -0.8278622353981318, -0.5578046721498529, 0.5896325716327199,  0.8868986732373781, -1.0337518811435356,
    -0.0700757565523426, -0.3902547495982022, -0.9883027731009364, 0.8505115380346706, -0.40955426956902985};

static double pixels[MOST_PATCHES * WIDTH];

static void draw_pixels(void)
{
    for (size_t i = 0; i < MOST_PATCHES * WIDTH; i++) pixels[i] = 2 * towers_number(1, i);
}

static void expect(const ref_real *found, const double *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(fabs(found[i] - expected[i]) < 1e-13, "[%zu]: %.17g, not %.17g", i, found[i],
                      expected[i]);
}

START_TEST(a_tower_of_blocks_with_windows_and_deepstack_equals_torch)
{
    plan *p = towers_blocks();
    ref_tower_output out;
    draw_pixels();
    ck_assert_int_eq(ref_tower(&p->vision, pixels, BLOCKS_GRIDS, NULL, 2, 0, (ref_tracer){0}, &out),
                     ASSAY_OK);
    ck_assert_uint_eq(out.n_rows, 8);
    ck_assert_uint_eq(out.first[1], 6);
    expect(out.deepstack[0], BLOCKS_DEEPSTACK, 8 * TOWERS_FEATURES);
    expect(out.merged, BLOCKS_MERGED, 8 * TOWERS_FEATURES);
    ref_tower_output_free(&out);
    towers_free(p);
}
END_TEST

START_TEST(a_tower_of_rows_with_limits_and_averaging_equals_torch)
{
    plan *p = towers_raster();
    ref_tower_output out;
    draw_pixels();
    ck_assert_int_eq(ref_tower(&p->vision, pixels, RASTER_GRID, NULL, 1, 0, (ref_tracer){0}, &out), ASSAY_OK);
    ck_assert_uint_eq(out.n_rows, 2);
    expect(out.merged, RASTER_MERGED, 2 * TOWERS_FEATURES);
    ref_tower_output_free(&out);
    towers_free(p);
}
END_TEST

/* An image alone has the features that it has beside others. */
START_TEST(an_image_does_not_see_the_others_of_its_sample)
{
    plan *p = towers_blocks();
    ref_tower_output out;
    draw_pixels();
    ck_assert_int_eq(
        ref_tower(&p->vision, pixels + 24 * WIDTH, BLOCKS_GRIDS + 1, NULL, 1, 0, (ref_tracer){0}, &out),
        ASSAY_OK);
    expect(out.merged, BLOCKS_MERGED + 6 * TOWERS_FEATURES, 2 * TOWERS_FEATURES);
    expect(out.deepstack[0], BLOCKS_DEEPSTACK + 6 * TOWERS_FEATURES, 2 * TOWERS_FEATURES);
    ref_tower_output_free(&out);
    towers_free(p);
}
END_TEST

/* What a tap has received. */
typedef struct record {
    char text[1024];    /* "name [rows, cols] " of each tensor */
    const char *zeroes; /* the tensor whose elements become 0; NULL: none */
} record;

static bool receive(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    record *r = context;
    char line[128];
    ck_assert_uint_eq(sample, 3);
    (void)snprintf(line, sizeof line, "%s [%zu, %zu] ", tensor->name, tensor->shape[0], tensor->shape[1]);
    ck_assert_uint_lt(strlen(r->text) + strlen(line), sizeof r->text);
    strcat(r->text, line);
    if (r->zeroes && strcmp(r->zeroes, tensor->name) == 0)
        memset(data, 0, tensor->shape[0] * tensor->shape[1] * sizeof(ref_real));
    return true;
}

static void run_traced(const plan *p, size_t first_traced, record *r, ref_tower_output *out)
{
    const assay_tap tap = {.size = sizeof tap, .fn = receive, .context = r};
    const ref_tracer tracer = {.tap = &tap, .sample = 3, .first_row = 7};
    draw_pixels();
    ck_assert_int_eq(ref_tower(&p->vision, pixels, BLOCKS_GRIDS, NULL, 2, first_traced, tracer, out),
                     ASSAY_OK);
}

START_TEST(a_tap_receives_the_rows_of_the_media_that_came_with_the_step)
{
    plan *p = towers_blocks();
    record all = {0}, last = {0}, none = {0};
    ref_tower_output out;
    run_traced(p, 0, &all, &out);
    ref_tower_output_free(&out);
    ck_assert_str_eq(all.text, "vision.patch [32, 8] vision.00.out [32, 8] vision.deepstack.0 [8, 5] "
                               "vision.01.out [32, 8] vision.merged [8, 5] ");
    run_traced(p, 1, &last, &out);
    ref_tower_output_free(&out);
    ck_assert_str_eq(last.text, "vision.patch [8, 8] vision.00.out [8, 8] vision.deepstack.0 [2, 5] "
                                "vision.01.out [8, 8] vision.merged [2, 5] ");
    run_traced(p, 2, &none, &out);
    ref_tower_output_free(&out);
    ck_assert_str_eq(none.text, "");
    towers_free(p);
}
END_TEST

static bool all_equal(const ref_real *found, const double *expected, size_t n)
{
    bool equal = true;
    for (size_t i = 0; i < n; i++) equal = equal && fabs(found[i] - expected[i]) < 1e-13;
    return equal;
}

/* name: of the tensor that a tap zeroes; which outputs of the second medium it changes. */
static const struct {
    const char *name;
    bool changes_deepstack, changes_merged;
} WRITES[] = {{"vision.patch", true, true},
              {"vision.00.out", true, true},
              {"vision.deepstack.0", true, false},
              {"vision.01.out", false, true},
              {"vision.merged", false, true}};

START_TEST(what_a_tap_writes_changes_what_is_computed_from_it_alone)
{
    plan *p = towers_blocks();
    record r = {.zeroes = WRITES[_i].name};
    ref_tower_output out;
    const size_t n = 2 * TOWERS_FEATURES, first = 6 * TOWERS_FEATURES;
    run_traced(p, 1, &r, &out);
    expect(out.merged, BLOCKS_MERGED, first);
    expect(out.deepstack[0], BLOCKS_DEEPSTACK, first);
    ck_assert(all_equal(out.deepstack[0] + first, BLOCKS_DEEPSTACK + first, n) !=
              WRITES[_i].changes_deepstack);
    ck_assert(all_equal(out.merged + first, BLOCKS_MERGED + first, n) != WRITES[_i].changes_merged);
    ref_tower_output_free(&out);
    towers_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/tower");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_tower_of_blocks_with_windows_and_deepstack_equals_torch);
    tcase_add_test(all, a_tower_of_rows_with_limits_and_averaging_equals_torch);
    tcase_add_test(all, an_image_does_not_see_the_others_of_its_sample);
    tcase_add_test(all, a_tap_receives_the_rows_of_the_media_that_came_with_the_step);
    tcase_add_loop_test(all, what_a_tap_writes_changes_what_is_computed_from_it_alone, 0,
                        sizeof WRITES / sizeof *WRITES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
