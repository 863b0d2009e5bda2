/* The reference's operations on inputs whose results are known exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/weight.h"
#include "ref/arithmetic/product.h"
#include "ref/ops.h"

#include "base/tests/support.h"
#include "ref/arithmetic/weight.h"
#include "ref/mlp.h"

#include <string.h>

static plan_weight matrix(const double *data, size_t rows, size_t cols)
{
    return weight_of(data, ASSAY_F64, rows, cols);
}

static void expect(const ref_real *got, const double *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(got[i] == expected[i], "[%zu]: %.17g, not %.17g", i, got[i], expected[i]);
}

START_TEST(linear_multiplies_by_the_transpose_and_adds_the_bias)
{
    const double w[] = {1, 2, 3, 4, 5, 6}, b[] = {10, 20}, x[] = {1, 0, -1, 2, 2, 2};
    plan_linear linear = {.weight = matrix(w, 2, 3), .bias = matrix(b, 1, 2)};
    ref_real y[4];
    ck_assert_int_eq(ref_linear(y, x, 2, &linear), ASSAY_OK);
    expect(y, (const double[]){8, 18, 22, 50}, 4);
}
END_TEST

START_TEST(transposed_and_strided_weights_read_as_their_plain_form)
{
    const double stored[] = {1,  4, 90, 91, 2, 5, 92,
                             93, 3, 6,  94, 95}; /* [3 inputs, 4 columns], of which 2 belong to the matrix */
    const plan_weight w = weight_of_strided(stored, ASSAY_F64, 2, 3, 1, 4);
    ref_real rows[6];
    ref_weight_rows(&w, 0, 2, rows);
    expect(rows, (const double[]){1, 2, 3, 4, 5, 6}, 6);
    ref_weight_rows(&w, 1, 1, rows);
    expect(rows, (const double[]){4, 5, 6}, 3);
}
END_TEST

START_TEST(narrow_weights_are_read_exactly)
{
    const uint16_t half[] = {0x3c00, 0xc000, 0x0001}, brain[] = {0x3f80, 0xc000, 0x3e00};
    plan_weight w = weight_of(half, ASSAY_F16, 1, 3);
    ref_real row[3];
    ref_weight_rows(&w, 0, 1, row);
    expect(row, (const double[]){1, -2, 0x1p-24}, 3);
    w = weight_of(brain, ASSAY_BF16, 1, 3);
    ref_weight_rows(&w, 0, 1, row);
    expect(row, (const double[]){1, -2, 0.125}, 3);
}
END_TEST

/* Three rows of two groups of 32: codes of four bits, 0 to 15 repeated; those of the last row descend
 * from 15. */
START_TEST(groups_are_widened_row_by_row)
{
    const float scale[] = {1, 2, 3, 4, 5, 6}, bias[] = {0.5F, 0, -1, 0, 0, 100};
    unsigned char codes[3 * 32];
    for (size_t i = 0; i < sizeof codes; i++) {
        const size_t low = i * 2 % 16, high = low + 1;
        codes[i] = (unsigned char)(i < 64 ? low | high << 4 : (15 - low) | (15 - high) << 4);
    }
    const plan_weight w = weight_of_affine(&(affine){4, 32, scale, bias, ASSAY_F32, ASSAY_F32}, codes, 3, 64);
    ref_real row[3 * 64], x[64] = {[1] = 1, [63] = 2}, y[3];
    ref_weight_rows(&w, 0, 3, row);
    expect(row, (const double[]){0.5, 1.5, 2.5}, 3);
    expect(row + 32, (const double[]){0, 2, 4}, 3);
    expect(row + 64, (const double[]){-1, 2, 5}, 3);
    expect(row + 128 + 32, (const double[]){190, 184, 178}, 3);
    ref_weight_rows(&w, 2, 1, row);
    expect(row, (const double[]){75, 70, 65}, 3);
    ck_assert_int_eq(ref_matrix(y, x, 1, &w), ASSAY_OK);
    expect(y, (const double[]){1.5 + 2 * 30, 2 + 2 * 60, 70 + 2 * 100}, 3);
}
END_TEST

START_TEST(norm_divides_by_the_root_mean_square)
{
    const double x[] = {3, 4, 0, 0, 6, 8, 0, 0}, w[] = {2, 1, 1, 1};
    plan_norm norm = {.present = true, .epsilon = 0, .width = 4, .weight = matrix(w, 1, 4)};
    ref_real y[8];
    ck_assert_int_eq(ref_rms_norm(y, x, 2, 4, &norm), ASSAY_OK);
    expect(y, (const double[]){2.4, 1.6, 0, 0, 2.4, 1.6, 0, 0}, 8);
    norm.present = false;
    ck_assert_int_eq(ref_norm(y, x, 2, 4, &norm), ASSAY_OK);
    expect(y, x, 8);
}
END_TEST

/* torch 2.13.0, torch.nn.LayerNorm(6, eps=1e-5, dtype=torch.float64) with these inputs, weights and biases;
 * then without either. */
START_TEST(layer_norm_gives_the_values_of_torch)
{
    const double x[] = {0.001, 0.002, -0.0015, 0.0005, 0.0, 0.0025}, w[] = {1, -0.5, 2, 0.25, 1.5, 0.75},
                 b[] = {0.125, 0, -1, 0.5, 2, -0.25};
    const double scaled[] = {0.19799723832339078, -0.18249309580847703, -2.3139502898210349,
                             0.48175069041915231, 1.6715124275447413,   0.13323550119780175},
                 plain[] = {0.072997238323390792,  0.36498619161695406, -0.65697514491051745,
                            -0.072997238323390848, -0.2189917149701725, 0.51098066826373567};
    plan_norm norm = {.present = true,
                      .kind = PLAN_LAYER_NORM,
                      .epsilon = 1e-5,
                      .width = 6,
                      .weight = matrix(w, 1, 6),
                      .bias = matrix(b, 1, 6)};
    ref_real y[6];
    ck_assert_int_eq(ref_norm(y, x, 1, 6, &norm), ASSAY_OK);
    for (size_t i = 0; i < 6; i++) ck_assert_double_eq_tol(y[i], scaled[i], 1e-14);
    norm.weight = norm.bias = (plan_weight){0};
    ck_assert_int_eq(ref_norm(y, x, 1, 6, &norm), ASSAY_OK);
    for (size_t i = 0; i < 6; i++) ck_assert_double_eq_tol(y[i], plain[i], 1e-14);
}
END_TEST

START_TEST(norm_adds_its_offset_to_the_weights)
{
    const double x[] = {3, 4, 0, 0}, w[] = {1, -1, 0, 0};
    plan_norm norm = {.present = true, .width = 4, .weight = matrix(w, 1, 4), .offset = 1};
    ref_real y[4];
    ck_assert_int_eq(ref_rms_norm(y, x, 1, 4, &norm), ASSAY_OK);
    expect(y, (const double[]){2.4, 0, 0, 0}, 4);
}
END_TEST

START_TEST(norm_adds_epsilon_to_the_mean_square)
{
    const double x[] = {1, 1};
    plan_norm norm = {.present = true, .epsilon = 3, .width = 2};
    ref_real y[2];
    ck_assert_int_eq(ref_rms_norm(y, x, 1, 2, &norm), ASSAY_OK);
    expect(y, (const double[]){0.5, 0.5}, 2);
}
END_TEST

START_TEST(activations_differ_where_they_should)
{
    ref_real exact = 1, tanh_form = 1, quick = 1, silu = 1, relu = -1;
    ref_activate(&exact, 1, ASSAY_GELU);
    ref_activate(&tanh_form, 1, ASSAY_GELU_TANH);
    ref_activate(&quick, 1, ASSAY_QUICK_GELU);
    ref_activate(&silu, 1, ASSAY_SILU);
    ref_activate(&relu, 1, ASSAY_RELU);
    ck_assert(fabs(exact - 0.84134474606854293) < 1e-15);     /* Φ(1) */
    ck_assert(fabs(tanh_form - 0.84119199060827676) < 1e-15); /* the tanh form at 1 */
    ck_assert(fabs(quick - 0.84579576) < 1e-7);
    ck_assert(fabs(silu - 0.73105857863000490) < 1e-15);
    ck_assert(relu == 0);
}
END_TEST

START_TEST(a_nan_is_never_hidden)
{
    const double w[] = {1, 0, 0, 1};
    plan_mlp mlp = {.present = true, .intermediate = 2, .activation = ASSAY_RELU, .sparse = true};
    mlp.gate.weight = mlp.up.weight = mlp.down.weight = matrix(w, 2, 2);
    ref_real x[] = {NAN, 1}, y[2];
    ck_assert_int_eq(ref_mlp(y, x, 1, &mlp), ASSAY_OK);
    ck_assert(isnan(y[0]) && isnan(y[1]));
    ref_softmax(x, 2);
    ck_assert(isnan(x[0]) && isnan(x[1]));
}
END_TEST

START_TEST(softmax_gives_masked_entries_zero)
{
    ref_real x[] = {1000, -INFINITY, 1000};
    ref_softmax(x, 3);
    expect(x, (const double[]){0.5, 0, 0.5}, 3);
}
END_TEST

START_TEST(rope_rotates_pairs_and_leaves_the_other_elements)
{
    const double c[] = {0, 1}, s[] = {1, 0}; /* rotates pair 0 by 90 degrees, pair 1 by 0 */
    rope r = {.head_dim = 6, .dim = 4, .pairing = ROPE_PAIRS_HALF};
    ref_real half[] = {1, 2, 3, 4, 5, 6}, adjacent[] = {1, 2, 3, 4, 5, 6};
    ref_rope(half, 1, 1, &r, c, s);
    expect(half, (const double[]){-3, 2, 1, 4, 5, 6}, 6);
    r.pairing = ROPE_PAIRS_ADJACENT;
    ref_rope(adjacent, 1, 1, &r, c, s);
    expect(adjacent, (const double[]){-2, 1, 3, 4, 5, 6}, 6);
}
END_TEST

enum { N_UNIFORM = 6 };

/* With scores of zero, every token gets the mean of the values to which it attends. expected: [n]. */
static void limited_attention(size_t window, ref_limit limit, const double *expected, size_t n)
{
    const double q[2 * N_UNIFORM] = {0}, v[] = {6, 12, 24, 48, 96, 192};
    plan_attention a = {.n_heads = 2, .n_kv_heads = 1, .head_dim = 1, .scale = 1, .window = window};
    ref_real out[2 * N_UNIFORM];
    size_t end[N_UNIFORM] = {0};
    plan_keys keys[N_UNIFORM];
    for (size_t t = 0; t < n; t++) end[t] = t + 1;
    plan_mask_keys(&a, limit.limit, limit.sink_tokens, end, n, keys);
    ck_assert_int_eq(ref_attention(out, q, q, v, n, n, &a, keys), ASSAY_OK);
    for (size_t t = 0; t < n; t++)
        for (size_t h = 0; h < 2; h++) ck_assert(fabs(out[2 * t + h] - expected[t]) < 1e-15 * 192);
}

static void uniform_attention(size_t window, const double *expected)
{
    limited_attention(window, (ref_limit){SIZE_MAX, 0}, expected, 3);
}

START_TEST(attention_is_causal_and_shares_kv_heads)
{
    uniform_attention(0, (const double[]){6, 9, 14});
}
END_TEST

START_TEST(a_window_of_two_attends_to_itself_and_the_previous_position)
{
    uniform_attention(2, (const double[]){6, 9, 18});
    uniform_attention(1, (const double[]){6, 12, 24});
    uniform_attention(3, (const double[]){6, 9, 14});
}
END_TEST

/* With a limit of three positions, one of them kept, the third token attends to all, later ones to the
 * first and the last two. */
START_TEST(a_limit_leaves_the_sink_tokens_and_the_latest)
{
    limited_attention(0, (ref_limit){3, 1}, (const double[]){6, 9, 14, 26, 50, 98}, 6);
    limited_attention(0, (ref_limit){3, 0}, (const double[]){6, 9, 14, 28, 56, 112}, 6);
    limited_attention(0, (ref_limit){1, 0}, (const double[]){6, 12, 24, 48, 96, 192}, 6);
    limited_attention(0, (ref_limit){6, 5}, (const double[]){6, 9, 14, 22.5, 37.2, 63}, 6);
}
END_TEST

START_TEST(a_layer_with_a_window_attends_only_within_it)
{
    limited_attention(2, (ref_limit){4, 1}, (const double[]){6, 9, 18, 36, 72, 144}, 6);
    limited_attention(4, (ref_limit){2, 1}, (const double[]){6, 9, 14, 22.5, 45, 90}, 6);
}
END_TEST

/* A block of tokens 1 to 3; the segments {0, 1} and {2, 3} of a tower; a sink token. */
START_TEST(attention_covers_any_range_of_keys)
{
    static const struct {
        plan_keys keys[4];
        double expected[4];
    } ROWS[] = {{{{0, 0, 1}, {0, 0, 4}, {0, 1, 4}, {0, 2, 4}}, {6, 22.5, 28, 36}},
                {{{0, 0, 2}, {0, 0, 2}, {0, 2, 4}, {0, 2, 4}}, {9, 9, 36, 36}},
                {{{0, 0, 4}, {1, 1, 4}, {1, 2, 4}, {1, 3, 4}}, {22.5, 22.5, 26, 27}}};
    const double q[4] = {0}, v[] = {6, 12, 24, 48};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        for (int capped = 0; capped < 2; capped++) {
            const plan_attention a = {
                .n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .scale = 1, .score_cap = capped};
            ref_real out[4];
            ck_assert_int_eq(ref_attention(out, q, q, v, 4, 4, &a, ROWS[i].keys), ASSAY_OK);
            for (size_t t = 0; t < 4; t++) ck_assert(fabs(out[t] - ROWS[i].expected[t]) < 1e-15 * 48);
        }
}
END_TEST

/* Scores beyond the cap, so that an uncapped score of a key after the query would show. */
START_TEST(the_cap_of_scores_covers_keys_after_the_query)
{
    const double q[] = {1, 1}, k[] = {0, 1000}, v[] = {0, 1};
    const plan_attention a = {.n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .scale = 1, .score_cap = 2};
    const plan_keys keys[] = {{0, 0, 2}, {0, 0, 2}};
    ref_real out[2];
    ck_assert_int_eq(ref_attention(out, q, k, v, 2, 2, &a, keys), ASSAY_OK);
    for (size_t t = 0; t < 2; t++) ck_assert(fabs(out[t] - 1 / (1 + exp(-2.0))) < 1e-15);
}
END_TEST

/* Scores of zero, and a sink of log 2 beside them, which takes the share of two keys; one of 1000 takes all.
 */
START_TEST(a_sink_takes_a_share_without_a_value)
{
    const double q[4] = {0}, v[] = {6, 12}, sinks[] = {0.69314718055994530942, 1000},
                 expected[] = {2, 0, 4.5, 0};
    const plan_attention a = {
        .n_heads = 2, .n_kv_heads = 1, .head_dim = 1, .scale = 1, .sinks = matrix(sinks, 1, 2)};
    const plan_keys keys[] = {{0, 0, 1}, {0, 0, 2}};
    ref_real out[4];
    ck_assert_int_eq(ref_attention(out, q, q, v, 2, 2, &a, keys), ASSAY_OK);
    for (size_t i = 0; i < 4; i++) ck_assert(fabs(out[i] - expected[i]) < 1e-14);
}
END_TEST

/* In a head with the earliest keys left out, they take no share from the sink either. */
START_TEST(a_sink_stands_beside_the_visible_keys_alone)
{
    const double q[3] = {0}, v[] = {6, 12, 24}, sinks[] = {0};
    const plan_attention a = {
        .n_heads = 1, .n_kv_heads = 1, .head_dim = 1, .scale = 1, .sinks = matrix(sinks, 1, 1)};
    const plan_keys keys[] = {{0, 0, 1}, {0, 1, 2}, {1, 2, 3}};
    ref_real out[3];
    ck_assert_int_eq(ref_attention(out, q, q, v, 3, 3, &a, keys), ASSAY_OK);
    ck_assert(fabs(out[0] - 3) < 1e-14 && fabs(out[1] - 6) < 1e-14 && fabs(out[2] - 10) < 1e-14);
}
END_TEST

START_TEST(a_squared_gate_is_the_square_of_the_activation)
{
    const double one[] = {1, 0, 0, 1}, twice[] = {2, 0, 0, 2};
    plan_mlp mlp = {.present = true, .intermediate = 2, .activation = ASSAY_RELU, .squares = true};
    mlp.gate.weight = matrix(twice, 2, 2);
    mlp.up.weight = mlp.down.weight = matrix(one, 2, 2);
    const ref_real x[] = {3, -1};
    ref_real y[2];
    ck_assert_int_eq(ref_mlp(y, x, 1, &mlp), ASSAY_OK);
    expect(y, (const double[]){6 * 6 * 3, 0}, 2);
}
END_TEST

START_TEST(sparse_gates_keep_the_values_above_the_cutoff)
{
    const double one[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    plan_mlp mlp = {
        .present = true, .intermediate = 4, .activation = ASSAY_RELU, .sparse = true, .sparse_deviations = 1};
    mlp.gate.weight = mlp.up.weight = mlp.down.weight = matrix(one, 4, 4);
    const ref_real x[] = {1, 1, 1, 5}; /* mean 2, population deviation √3 */
    ref_real y[4];
    ck_assert_int_eq(ref_mlp(y, x, 1, &mlp), ASSAY_OK);
    ck_assert(y[0] == 0 && y[1] == 0 && y[2] == 0);
    ck_assert(fabs(y[3] - (3 - sqrt(3)) * 5) < 1e-14);
}
END_TEST

START_TEST(the_soft_cap_bounds_and_keeps_small_values)
{
    ref_real x[] = {1e6, -1e6, 1e-9};
    ref_soft_cap(x, 3, 30);
    ck_assert(x[0] == 30 && x[1] == -30 && fabs(x[2] - 1e-9) < 1e-24);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/ops");
    TCase *all = tcase_create("all");
    tcase_add_test(all, linear_multiplies_by_the_transpose_and_adds_the_bias);
    tcase_add_test(all, transposed_and_strided_weights_read_as_their_plain_form);
    tcase_add_test(all, narrow_weights_are_read_exactly);
    tcase_add_test(all, groups_are_widened_row_by_row);
    tcase_add_test(all, norm_divides_by_the_root_mean_square);
    tcase_add_test(all, layer_norm_gives_the_values_of_torch);
    tcase_add_test(all, norm_adds_its_offset_to_the_weights);
    tcase_add_test(all, norm_adds_epsilon_to_the_mean_square);
    tcase_add_test(all, activations_differ_where_they_should);
    tcase_add_test(all, a_nan_is_never_hidden);
    tcase_add_test(all, softmax_gives_masked_entries_zero);
    tcase_add_test(all, rope_rotates_pairs_and_leaves_the_other_elements);
    tcase_add_test(all, attention_is_causal_and_shares_kv_heads);
    tcase_add_test(all, a_window_of_two_attends_to_itself_and_the_previous_position);
    tcase_add_test(all, a_limit_leaves_the_sink_tokens_and_the_latest);
    tcase_add_test(all, a_layer_with_a_window_attends_only_within_it);
    tcase_add_test(all, attention_covers_any_range_of_keys);
    tcase_add_test(all, the_cap_of_scores_covers_keys_after_the_query);
    tcase_add_test(all, a_sink_takes_a_share_without_a_value);
    tcase_add_test(all, a_sink_stands_beside_the_visible_keys_alone);
    tcase_add_test(all, a_squared_gate_is_the_square_of_the_activation);
    tcase_add_test(all, sparse_gates_keep_the_values_above_the_cutoff);
    tcase_add_test(all, the_soft_cap_bounds_and_keeps_small_values);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
