/* The parts of a tower for tiles that other towers do not have, with exact numbers: two tiles of one patch,
 * without layers. The layers are compared with the published tower by the recorded cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "ref/tiles.h"

#include "base/tests/support.h"
#include "model/tests/weight.h"

enum { T = 2, N = 2, D = 2, H = 6, ROWS = T * N };

static const double EMBED[D] = {1, 10}, CLASS[D] = {5, 7}, POSITIONS[N * D] = {100, 200, 300, 400};
static double before[2 * T * D], tile_positions[2 * T * N * D], identity[H * H], before_gate, positions_gate;

static plan_weight by_hand(const double *data, size_t rows, size_t cols)
{
    return weight_of(data, ASSAY_F64, rows, cols);
}

static plan_tower make_tower(void)
{
    for (size_t i = 0; i < 2 * T * D; i++) before[i] = 1000 + (double)i;
    for (size_t i = 0; i < 2 * T * N * D; i++) tile_positions[i] = 2000 + (double)i;
    for (size_t i = 0; i < H; i++) identity[i * H + i] = 1;
    return (plan_tower){.present = true,
                        .hidden = D,
                        .patches = {.size = 1,
                                    .channels = 1,
                                    .frames = 1,
                                    .pixel_factor = 1,
                                    .embed = {.weight = by_hand(EMBED, D, 1)}},
                        .pooling = {.side = 1, .factor = 1},
                        .merge = 1,
                        .kind = PLAN_TOWER_TILES,
                        .tiles = {.n = T,
                                  .side = 1,
                                  .padded = 8,
                                  .n_ratios = 1,
                                  .ratio = {{1, 2}},
                                  .class_row = by_hand(CLASS, 1, D),
                                  .before = by_hand(before, 2 * T, D),
                                  .before_gate = by_hand(&before_gate, 1, 1),
                                  .positions = by_hand(POSITIONS, N, D),
                                  .positions_gate = by_hand(&positions_gate, 1, 1),
                                  .tile_positions = by_hand(tile_positions, 2 * T * N, D),
                                  .n_collected = 2},
                        .merger = {1, {{PLAN_MERGER_LINEAR, .linear = {.weight = by_hand(identity, H, H)}}}}};
}

/* The state of a row, then each of its elements twice: those of the two collected states, interleaved. */
static void expect_rows(const double expected[ROWS][D])
{
    static const double pixels[T] = {2, 3};
    static const size_t ratio[1] = {1};
    const plan_tower tower = make_tower();
    ref_tower_output out;
    ck_assert_int_eq(ref_tiles(&tower, pixels, ratio, 1, 0, (ref_tracer){0}, &out), ASSAY_OK);
    ck_assert_uint_eq(out.n_rows, ROWS);
    for (size_t r = 0; r < ROWS; r++) {
        const double *x = expected[r], row[H] = {x[0], x[1], x[0], x[0], x[1], x[1]};
        for (size_t i = 0; i < H; i++)
            ck_assert_msg((double)out.merged[r * H + i] == row[i], "row %zu, [%zu]: %g, not %g", r, i,
                          (double)out.merged[r * H + i], row[i]);
    }
    ref_tower_output_free(&out);
}

START_TEST(gates_of_zero_leave_the_positions_of_a_tile_alone)
{
    before_gate = positions_gate = 0;
    expect_rows((const double[ROWS][D]){{105, 207}, {302, 420}, {105, 207}, {303, 430}});
}
END_TEST

/* tanh(1000) is 1: the rows of ratio 1, of each tile. */
START_TEST(open_gates_replace_them_by_those_of_the_ratio)
{
    before_gate = positions_gate = 1000;
    expect_rows((const double[ROWS][D]){{2008 + 5, 2009 + 7},
                                        {2010 + 2 + 1004, 2011 + 20 + 1005},
                                        {2012 + 5, 2013 + 7},
                                        {2014 + 3 + 1006, 2015 + 30 + 1007}});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/tiles");
    TCase *t = tcase_create("tiles");
    tcase_add_test(t, gates_of_zero_leave_the_positions_of_a_tile_alone);
    tcase_add_test(t, open_gates_replace_them_by_those_of_the_ratio);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
