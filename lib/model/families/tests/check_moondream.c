/* Moondream 3: its names in both spellings, what is resolved, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/weight.h"

START_TEST(attention_and_experts_follow_one_norm)
{
    plan *p = checkpoint_open_fixture("moondream3/base");
    const plan_attention *a = plan_layer_attention(&p->layers[1]);
    ck_assert(p->layers[1].is_parallel && !p->layers[1].mlp_in.present);
    ck_assert_int_eq(p->layers[1].mixer_in.kind, PLAN_LAYER_NORM);
    ck_assert(p->layers[0].mlp.present && !p->layers[0].experts.present);
    ck_assert(!p->layers[1].mlp.present && p->layers[1].experts.present);
    ck_assert(p->layers[1].experts.gating.up_offset == 1);
    ck_assert_int_eq(p->layers[1].experts.activation, ASSAY_GELU);
    ck_assert_int_eq(p->layers[0].mlp.activation, ASSAY_GELU_TANH);
    ck_assert_uint_eq(a->head_scale.q.cols, 3 * 3 * 10);
    ck_assert_uint_eq(p->ropes[a->rope].dim, 6);
    ck_assert_uint_eq(p->head_bias.cols, p->vocab);
    plan_free(p);
}
END_TEST

/* Rows 0 to I - 1 of fc1 are those of gate. */
START_TEST(gate_comes_first_in_the_stack_of_an_expert)
{
    plan *p = checkpoint_open_fixture("moondream3/base");
    const plan_experts *x = &p->layers[1].experts;
    const size_t bytes = x->intermediate * p->hidden * 2; /* of bfloat16 */
    const char *gate = weight_numbers(&x->gate[0]).data, *down = weight_numbers(&x->down[0]).data;
    ck_assert_ptr_eq(weight_numbers(&x->up[0]).data, gate + bytes);
    ck_assert_ptr_eq(weight_numbers(&x->gate[1]).data, gate + 2 * bytes);
    ck_assert_ptr_eq(weight_numbers(&x->down[1]).data, down + bytes);
    plan_free(p);
}
END_TEST

START_TEST(an_image_follows_the_first_token_with_which_it_is_a_block)
{
    plan *p = checkpoint_open_fixture("moondream3/base");
    const plan_tower *t = &p->vision;
    ck_assert_int_eq(t->image_token, 0);
    ck_assert_uint_eq(t->n_leading, 1);
    ck_assert(p->blocks.n == 0 && p->blocks.of_image);
    ck_assert_int_eq(p->positions, PLAN_POSITIONS_INDEX);
    ck_assert_uint_eq(t->crops.margin, 1);
    ck_assert_uint_eq(t->table.side, 4);
    ck_assert_uint_eq(plan_tower_tokens(t, (const size_t[]){7, 4, 4}), 16);
    ck_assert_uint_eq(plan_tower_width(t), p->hidden);
    plan_free(p);
}
END_TEST

START_TEST(members_that_are_missing_have_the_defaults_of_the_class)
{
    plan *expected = checkpoint_open_fixture("moondream3/base");
    plan *p = checkpoint_open(checkpoint_changed("moondream3/base", "text_config.attention_bias", NULL));
    ck_assert(plan_layer_attention(&p->layers[0])->q.bias.data);
    ck_assert(p->ropes[0].theta == expected->ropes[0].theta);
    plan_free(p);
    plan_free(expected);
    checkpoint_expect_refusal("moondream3/base", "text_config", NULL, ASSAY_EFORMAT, "wte",
                              "expected [51200, 2048]");
}
END_TEST

static const struct {
    const char *member, *value;
    assay_status status;
    const char *texts[2];
} REFUSED[] = {
    {"text_config.hidden_size", "24", ASSAY_EFORMAT, {"model.text.wte", "[53, 24]"}},
    {"text_config.head_dim", "12", ASSAY_EFORMAT, {"blocks.0.attn.qkv.weight", "[108, 22]"}},
    {"text_config.num_key_value_heads", "1", ASSAY_EUNSUPPORTED, {"num_key_value_heads: found 1", "3"}},
    {"text_config.num_hidden_layers", "4", ASSAY_EFORMAT, {"blocks.3.", "missing"}},
    {"text_config.num_hidden_layers", "2", ASSAY_EFORMAT, {"blocks.2.", "left over"}},
    {"text_config.num_hidden_layers", "999", ASSAY_EFORMAT, {"num_hidden_layers: found 999", "tensors"}},
    {"text_config.moe_start_layer", "2", ASSAY_EFORMAT, {"blocks.1.mlp.fc1.weight", "[37, 22]"}},
    {"text_config.num_experts", "4", ASSAY_EFORMAT, {"blocks.1.mlp.router.weight", "[4, 22]"}},
    {"text_config.num_experts_per_tok",
     "6",
     ASSAY_EFORMAT,
     {"num_experts_per_tok: found 6", "the 5 experts"}},
    {"text_config.moe_intermediate_size", "12", ASSAY_EFORMAT, {"blocks.1.mlp.fc1.weight", "[5, 24, 22]"}},
    {"text_config.rope_dim", "12", ASSAY_EFORMAT, {"rope_dim: found 12", "at most head_dim, 10"}},
    {"text_config.rope_dim", "5", ASSAY_EFORMAT, {"rope_dim: found 5", "an even number"}},
    {"text_config.rope_theta", "0", ASSAY_EFORMAT, {"rope_theta", ""}},
    {"text_config.prefix_attn", "730", ASSAY_EUNSUPPORTED, {"prefix_attn: found 730", "17"}},
    {"vision_config.patch_size", "4", ASSAY_EFORMAT, {"patch_emb.weight", "[18, 48]"}},
    {"vision_config.crop_size", "14", ASSAY_EUNSUPPORTED, {"crop_size: found 14", "patch_size (3)"}},
    {"vision_config.crop_size", "15", ASSAY_EFORMAT, {"pos_emb", "[1, 25, 18]"}},
    {"vision_config.overlap_margin", "2", ASSAY_EUNSUPPORTED, {"crop_size: found 12", "overlap_margin (2)"}},
    {"vision_config.num_attention_heads", "4", ASSAY_EFORMAT, {"found 4", "a divisor of hidden_size, 18"}},
    {"vision_config.num_hidden_layers", "1", ASSAY_EFORMAT, {"vision.blocks.1.", "left over"}},
    {"vision_config.proj_inner_dim", "40", ASSAY_EFORMAT, {"proj_mlp.fc1.weight", "[40, 36]"}},
    {"vision_config.proj_out_dim", "21", ASSAY_EUNSUPPORTED, {"proj_out_dim: found 21", "22"}},
    {"vision_config", "[]", ASSAY_EFORMAT, {"vision_config", ""}},
};

START_TEST(what_does_not_fit_is_refused)
{
    checkpoint_expect_refusal("moondream3/base", REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].texts[0], REFUSED[_i].texts[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/moondream");
    TCase *all = tcase_create("all");
    tcase_add_test(all, attention_and_experts_follow_one_norm);
    tcase_add_test(all, gate_comes_first_in_the_stack_of_an_expert);
    tcase_add_test(all, an_image_follows_the_first_token_with_which_it_is_a_block);
    tcase_add_test(all, members_that_are_missing_have_the_defaults_of_the_class);
    tcase_add_loop_test(all, what_does_not_fit_is_refused, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
