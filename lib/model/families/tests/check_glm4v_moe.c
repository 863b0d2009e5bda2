/* GLM-4.5V: its experts, its rope, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

START_TEST(layers_after_the_first_have_experts_in_groups)
{
    plan *p = checkpoint_open_fixture("glm4v_moe/base");
    ck_assert(p->layers[0].mlp.present && !p->layers[0].experts.present);
    const plan_experts *x = &p->layers[1].experts;
    ck_assert(!p->layers[1].mlp.present && x->present);
    ck_assert_int_eq(x->scoring, PLAN_SCORING_SIGMOID);
    ck_assert(x->n_experts == 12 && x->n_active == 3 && x->n_groups == 4 && x->n_active_groups == 2);
    ck_assert(x->renormalize && x->sum_offset == 1e-20 && x->sum_floor == 0 && x->share_factor == 2.5);
    ck_assert_str_eq(x->choice_bias.name, "model.language_model.layers.1.mlp.gate.e_score_correction_bias");
    ck_assert(x->shared.intermediate == 30 && !x->shared_gate.data && x->intermediate == 15);
    plan_free(p);
}
END_TEST

START_TEST(absent_members_have_the_published_defaults)
{
    plan *p = checkpoint_open_fixture("glm4v_moe/defaults");
    const plan_experts *x = &p->layers[1].experts;
    ck_assert(p->layers[0].mlp.present && x->present && p->layers[0].mixer.attention.q.bias.data);
    ck_assert(x->n_groups == 0 && x->renormalize && x->share_factor == 1 && x->shared.intermediate == 15);
    ck_assert(p->tied && p->layers[1].mlp_in.epsilon == 1e-5);
    plan_free(p);
}
END_TEST

START_TEST(shares_need_not_be_divided)
{
    plan *p = checkpoint_open_fixture("glm4v_moe/unnormalised");
    const plan_experts *x = &p->layers[0].experts;
    ck_assert(x->present && !x->renormalize && x->sum_offset == 0 && x->share_factor == 1.5);
    ck_assert_ptr_null(p->layers[0].mixer.attention.q.bias.data);
    plan_free(p);
}
END_TEST

START_TEST(half_of_a_head_rotates_in_pairs_of_its_halves)
{
    plan *p = checkpoint_open_fixture("glm4v_moe/base");
    const rope *r = &p->ropes[0];
    ck_assert_int_eq(r->pairing, ROPE_PAIRS_HALF);
    ck_assert_int_eq(r->sections, ROPE_SECTIONS_CHUNKED);
    ck_assert(r->head_dim == 16 && r->dim == 8);
    ck_assert(rope_axis(r, 0) == 0 && rope_axis(r, 1) == 1 && rope_axis(r, 2) == 1 && rope_axis(r, 3) == 2);
    plan_free(p);
}
END_TEST

static const struct {
    const char *member, *value;
    assay_status status;
    const char *holds;
} REFUSED[] = {
    {"text_config.n_group", "5", ASSAY_EFORMAT, "n_group: found 5, expected groups of two or more of the 12"},
    {"text_config.n_group", "12", ASSAY_EFORMAT, "n_group: found 12, expected groups of two or more"},
    {"text_config.n_group", "0", ASSAY_EFORMAT, "n_group"},
    {"text_config.topk_group", "5", ASSAY_EFORMAT, "topk_group: found 5, expected at most n_group, 4"},
    {"text_config.num_experts_per_tok", "7", ASSAY_EUNSUPPORTED,
     "num_experts_per_tok: found 7, expected at most the experts of topk_group groups, 6"},
    {"text_config.routed_scaling_factor", "-1", ASSAY_EFORMAT, "routed_scaling_factor"},
    {"text_config.moe_intermediate_size", "16", ASSAY_EFORMAT, "layers.1.mlp.experts"},
    {"text_config.n_shared_experts", "1", ASSAY_EFORMAT, "layers.1.mlp.shared_experts"},
    {"text_config.first_k_dense_replace", "0", ASSAY_EFORMAT, "layers.0.mlp.gate.weight"},
    {"text_config.norm_topk_prob", "1", ASSAY_EFORMAT, "norm_topk_prob"},
    {"text_config.use_qk_norm", "true", ASSAY_EUNSUPPORTED, "use_qk_norm"},
    {"image_token_id", "61", ASSAY_EFORMAT, "image_token_id: found 61"},
};

START_TEST(members_that_do_not_fit_are_refused)
{
    checkpoint_expect_refusal("glm4v_moe/base", REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].holds, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/glm4v_moe");
    TCase *all = tcase_create("all");
    tcase_add_test(all, layers_after_the_first_have_experts_in_groups);
    tcase_add_test(all, absent_members_have_the_published_defaults);
    tcase_add_test(all, shares_need_not_be_divided);
    tcase_add_test(all, half_of_a_head_rotates_in_pairs_of_its_halves);
    tcase_add_loop_test(all, members_that_do_not_fit_are_refused, 0, (int)(sizeof REFUSED / sizeof *REFUSED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
