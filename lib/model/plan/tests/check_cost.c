/* What plans cost, counted by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/cost.h"

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/plan/cost_tower.h"
#include "model/tests/checkpoint.h"
#include "model/tests/weight.h"

static const char bytes[1]; /* weights are counted, not read */

static plan_weight matrix(size_t rows, size_t cols, assay_dtype dtype)
{
    return weight_of(bytes, dtype, rows, cols);
}

static plan_linear linear(size_t rows, size_t cols, assay_dtype dtype)
{
    return (plan_linear){.weight = matrix(rows, cols, dtype)};
}

static plan_cost count(const plan *p)
{
    plan_cost c;
    ck_assert_int_eq(plan_cost_read(p, &c, NULL), ASSAY_OK);
    return c;
}

/* Two heads of 5 on one kv head, hidden 7, in bfloat16. */
static plan_layer one_layer(size_t window)
{
    plan_layer layer = {0};
    layer.mixer.attention = (plan_attention){.n_heads = 2,
                                             .n_kv_heads = 1,
                                             .head_dim = 5,
                                             .window = window,
                                             .q = linear(10, 7, ASSAY_BF16),
                                             .k = linear(5, 7, ASSAY_BF16),
                                             .v = linear(5, 7, ASSAY_BF16),
                                             .o = linear(7, 10, ASSAY_BF16)};
    return layer;
}

/* Around `layers`, a head of 11 ids in float32, untied. */
static plan plan_around(plan_layer *layers, size_t n)
{
    return (plan){.dir = "by hand",
                  .hidden = 7,
                  .n_layers = n,
                  .layers = layers,
                  .embedding = matrix(11, 7, ASSAY_F32),
                  .head = matrix(11, 7, ASSAY_F32)};
}

#define MIXER 210U /* 70 + 35 + 35 + 70 multiply-adds */
#define HEAD  77U

START_TEST(projections_and_head_are_counted_once)
{
    plan_layer layer = one_layer(0);
    plan p = plan_around(&layer, 1);
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER);
    ck_assert_uint_eq(c.head, HEAD);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * HEAD + 4 * 7); /* and a row of the embedding */
    plan_cost_free(&c);
}
END_TEST

START_TEST(a_tied_head_has_the_row_of_the_embedding)
{
    plan_layer layer = one_layer(0);
    plan p = plan_around(&layer, 1);
    p.tied = true;
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * HEAD);
    plan_cost_free(&c);
}
END_TEST

START_TEST(norms_and_biases_are_read_and_not_multiplied)
{
    plan_layer layer = one_layer(0);
    layer.mixer.attention.q.bias = matrix(1, 10, ASSAY_BF16);
    layer.mixer_in = (plan_norm){.present = true, .weight = matrix(1, 7, ASSAY_F32)};
    layer.mixer_out = (plan_norm){.present = true}; /* unweighted */
    layer.scalar = matrix(1, 1, ASSAY_F32);
    plan p = plan_around(&layer, 1);
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * HEAD + 4 * 7 + 2 * 10 + 4 * 7 + 4);
    plan_cost_free(&c);
}
END_TEST

/* 3 bits in groups of 32 with scales of bfloat16: 96 columns take 9 words, 3 scales and 3 biases. */
START_TEST(quantised_weights_are_read_as_they_are_stored)
{
    plan_layer layer = one_layer(0);
    plan p = plan_around(&layer, 1);
    layer.mixer.attention.k.weight =
        weight_of_affine(&(affine){3, 32, bytes, bytes, ASSAY_BF16, ASSAY_BF16}, bytes, 5, 96);
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER - 35 + 5 * 96);
    ck_assert_uint_eq(c.weight_bytes, 2 * (MIXER - 35) + 5 * (9 * 4 + 6 * 2) + 4 * HEAD + 4 * 7);
    ck_assert_uint_eq(c.attention[0].cache_bytes, 2 * 5 * 2);
    plan_cost_free(&c);
}
END_TEST

START_TEST(an_mlp_has_three_matrices)
{
    plan_layer layer = one_layer(0);
    layer.mlp = (plan_mlp){.present = true,
                           .gate = linear(13, 7, ASSAY_F16),
                           .up = linear(13, 7, ASSAY_F16),
                           .down = linear(7, 13, ASSAY_F16)};
    plan p = plan_around(&layer, 1);
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER + 273);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * HEAD + 4 * 7 + 2 * 273);
    plan_cost_free(&c);
}
END_TEST

START_TEST(only_active_experts_count)
{
    plan_weight in[5], out[5];
    for (size_t i = 0; i < 5; i++) in[i] = matrix(3, 7, ASSAY_BF16), out[i] = matrix(7, 3, ASSAY_BF16);
    plan_layer layer = one_layer(0);
    layer.experts = (plan_experts){.present = true,
                                   .n_experts = 5,
                                   .n_active = 2,
                                   .router = matrix(5, 7, ASSAY_F32),
                                   .gate = in,
                                   .up = in,
                                   .down = out};
    plan p = plan_around(&layer, 1);
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER + 35 + 2 * 63);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * HEAD + 4 * 7 + 4 * 35 + 2 * 2 * 63);
    plan_cost_free(&c);
}
END_TEST

START_TEST(of_the_table_of_layer_inputs_one_row_is_read)
{
    plan_layer layer = one_layer(0);
    layer.layer_input = (plan_layer_input){
        .present = true, .gate = linear(3, 7, ASSAY_BF16), .projection = linear(7, 3, ASSAY_BF16)};
    plan p = plan_around(&layer, 1);
    p.layer_inputs = (plan_layer_inputs){.present = true,
                                         .width = 3,
                                         .table = matrix(11, 3, ASSAY_BF16),
                                         .projection = linear(3, 7, ASSAY_BF16)};
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER + 21 + 21 + 21);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * HEAD + 4 * 7 + 2 * 63 + 2 * 3);
    plan_cost_free(&c);
}
END_TEST

START_TEST(streams_multiply_by_every_matrix_and_the_router_twice)
{
    plan_weight between[1] = {matrix(7, 7, ASSAY_F32)};
    plan_layer layer = one_layer(0);
    layer.laurel =
        (plan_laurel){.present = true, .left = linear(2, 7, ASSAY_F32), .right = linear(7, 2, ASSAY_F32)};
    layer.altup = (plan_altup){.present = true,
                               .router = matrix(2, 7, ASSAY_F32),
                               .prediction = matrix(4, 2, ASSAY_F32),
                               .correction = matrix(2, 2, ASSAY_F32)};
    plan p = plan_around(&layer, 1);
    p.streams = (plan_streams){.n = 2, .projection = between, .unprojection = between};
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER + 28 + 2 * 14 + 8 + 4 + 2 * 49);
    ck_assert_uint_eq(c.weight_bytes, 2 * MIXER + 4 * (HEAD + 7 + 28 + 14 + 8 + 4 + 2 * 49));
    plan_cost_free(&c);
}
END_TEST

/* Scores and sums take 2 * 10 multiply-adds for each visible key; keys and values 2 * 5 * 2 bytes. */
static const struct {
    size_t window, first, n, visible, last;
} spans[] = {
    {0, 0, 1, 1, 1},  {0, 0, 4, 10, 4}, {0, 3, 2, 9, 5}, {3, 0, 2, 3, 2},
    {3, 0, 5, 12, 3}, {3, 2, 2, 6, 3},  {3, 9, 2, 6, 3}, {5, 0, 5, 15, 5},
};

START_TEST(attention_counts_the_keys_that_each_token_sees)
{
    plan_layer layer = one_layer(spans[_i].window);
    plan p = plan_around(&layer, 1);
    plan_cost c = count(&p);
    size_t n = spans[_i].n;
    double found = plan_cost_multiplies(&c, spans[_i].first, n, 0);
    ck_assert_double_eq(found, (double)(n * MIXER + 20 * spans[_i].visible));
    ck_assert_double_eq(plan_cost_multiplies(&c, spans[_i].first, n, 2), found + 2 * HEAD);
    ck_assert_double_eq(plan_cost_cache_bytes(&c, spans[_i].first + n - 1), (double)(20 * spans[_i].last));
    plan_cost_free(&c);
}
END_TEST

START_TEST(a_shared_cache_is_read_by_each_layer_and_projected_by_one)
{
    plan_layer layers[2] = {one_layer(0), one_layer(0)};
    plan_attention *shares = &layers[1].mixer.attention;
    shares->k = shares->v = (plan_linear){0};
    shares->cache_layer = 0;
    plan p = plan_around(layers, 2);
    plan_cost c = count(&p);
    ck_assert_uint_eq(c.multiplies, MIXER + 140);
    ck_assert_double_eq(plan_cost_cache_bytes(&c, 2), 2 * 3 * 20);
    plan_cost_free(&c);
}
END_TEST

/* A dense checkpoint holds nothing that a token does not need, and its tied embedding is the head. */
START_TEST(a_dense_checkpoint_costs_its_parameters)
{
    plan *p = checkpoint_open_fixture("gemma4/dense");
    plan_cost c = count(p);
    ck_assert(p->tied && !p->layer_inputs.present);
    ck_assert_uint_eq(c.weight_bytes, p->n_parameters * 4);
    ck_assert_uint_le(c.multiplies + c.head, p->n_parameters);
    ck_assert_uint_ge(c.multiplies + c.head, p->n_parameters * 9 / 10);
    plan_cost_free(&c);
    plan_free(p);
}
END_TEST

/* Width 6 of 2 heads, 4 pixels a patch, blocks of 2 x 2, one layer of each kind, in float32. */
static plan_tower two_layers(plan_tower_layer layers[2], plan_deepstack *deepstack)
{
    const plan_linear square = linear(6, 6, ASSAY_F32), first = linear(24, 24, ASSAY_F32);
    const plan_merger merger = {3,
                                {{.kind = PLAN_MERGER_CONCATENATE},
                                 {PLAN_MERGER_LINEAR, .linear = first},
                                 {PLAN_MERGER_LINEAR, .linear = linear(7, 24, ASSAY_F32)}}};
    for (size_t i = 0; i < 2; i++)
        layers[i] = (plan_tower_layer){
            .in_windows = i == 1,
            .attention = {.n_heads = 2,
                          .n_kv_heads = 2,
                          .head_dim = 3,
                          .q = square,
                          .k = square,
                          .v = square,
                          .o = square},
            .mlp = {.present = true, .up = linear(5, 6, ASSAY_F32), .down = linear(6, 5, ASSAY_F32)}};
    *deepstack = (plan_deepstack){.merger = merger};
    return (plan_tower){.present = true,
                        .hidden = 6,
                        .n_layers = 2,
                        .patches = {.embed = linear(6, 4, ASSAY_F32)},
                        .pooling = {.side = 1},
                        .merge = 2,
                        .window = 2,
                        .layers = layers,
                        .merger = merger,
                        .deepstack = deepstack,
                        .n_deepstack = 1};
}

#define PATCH  (24U + 2 * (4 * 36 + 60)) /* embedding, then two layers */
#define MERGED (2U * (576 + 168))        /* the features and those of an earlier layer */

START_TEST(a_tower_costs_its_products_and_the_keys_of_each_segment)
{
    plan_tower_layer layers[2];
    plan_deepstack deepstack;
    const plan_tower tower = two_layers(layers, &deepstack);
    const plan_cost_tower c = plan_cost_tower_read(&tower);
    ck_assert_uint_eq(c.weight_bytes, 4 * (PATCH + MERGED));
    ck_assert_uint_eq(c.patch, PATCH);
    ck_assert_uint_eq(c.merged, MERGED);
    /* 3 frames of 4 x 6 patches: windows of 4 x 4 and 4 x 2 patches. */
    const double products = 3 * (24.0 * PATCH + 6.0 * MERGED);
    const double keys = 3 * 2 * 6 * (24.0 * 24 + 16 * 16 + 8 * 8);
    ck_assert_double_eq(plan_cost_tower_multiplies(&c, (const size_t[]){3, 4, 6}), products + keys);
}
END_TEST

START_TEST(tokens_do_not_pay_for_the_tower)
{
    plan_tower_layer layers[2];
    plan_deepstack deepstack;
    plan_layer layer = one_layer(0);
    plan p = plan_around(&layer, 1);
    plan_cost without = count(&p);
    p.vision = two_layers(layers, &deepstack);
    plan_cost with = count(&p);
    ck_assert_uint_eq(with.weight_bytes, without.weight_bytes);
    ck_assert_uint_eq(with.multiplies, without.multiplies);
    plan_cost_free(&with);
    plan_cost_free(&without);
    const plan_cost_tower none = plan_cost_tower_read(&(plan_tower){0});
    ck_assert_double_eq(plan_cost_tower_multiplies(&none, (const size_t[]){1, 2, 2}), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/cost");
    TCase *all = tcase_create("counted");
    tcase_add_test(all, a_tower_costs_its_products_and_the_keys_of_each_segment);
    tcase_add_test(all, tokens_do_not_pay_for_the_tower);
    tcase_add_test(all, projections_and_head_are_counted_once);
    tcase_add_test(all, a_tied_head_has_the_row_of_the_embedding);
    tcase_add_test(all, norms_and_biases_are_read_and_not_multiplied);
    tcase_add_test(all, quantised_weights_are_read_as_they_are_stored);
    tcase_add_test(all, an_mlp_has_three_matrices);
    tcase_add_test(all, only_active_experts_count);
    tcase_add_test(all, of_the_table_of_layer_inputs_one_row_is_read);
    tcase_add_test(all, streams_multiply_by_every_matrix_and_the_router_twice);
    tcase_add_loop_test(all, attention_counts_the_keys_that_each_token_sees, 0,
                        (int)(sizeof spans / sizeof *spans));
    tcase_add_test(all, a_shared_cache_is_read_by_each_layer_and_projected_by_one);
    tcase_add_test(all, a_dense_checkpoint_costs_its_parameters);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
