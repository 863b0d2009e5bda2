/* What the decoder helper resolves for families that differ from Llama in norms, caps and factors, and what
 * they refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/decoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/plan/print.h"
#include "model/tests/checkpoint.h"

START_TEST(olmo2_has_norms_after_its_parts_and_over_whole_projections)
{
    plan *p = checkpoint_open_fixture("olmo2/base");
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_layer *layer = &p->layers[i];
        const plan_attention *a = &layer->mixer.attention;
        ck_assert(!layer->mixer_in.present && !layer->mlp_in.present);
        ck_assert(layer->mixer_out.present && layer->mlp_out.present);
        ck_assert_uint_eq(layer->mixer_out.width, p->hidden);
        ck_assert_uint_eq(a->q_norm.width, a->n_heads * a->head_dim);
        ck_assert_uint_eq(a->k_norm.width, a->n_kv_heads * a->head_dim);
        ck_assert(a->q_norm.weight.cols == a->q_norm.width && !a->v_norm.present && a->q_norm.offset == 0);
        ck_assert(a->scale == 1 / sqrt(10) && a->score_cap == 0 && layer->residual_factor == 1);
        ck_assert_str_eq(strrchr(layer->mlp_out.weight.name, 'p'), "post_feedforward_layernorm.weight");
    }
    ck_assert(!p->tied && p->logit_factor == 1 && p->embedding_scale == 1);
    plan_free(p);
}
END_TEST

START_TEST(granite_has_four_factors)
{
    plan *p = checkpoint_open_fixture("granite/base");
    ck_assert(p->embedding_scale == 6 && p->logit_factor == 1 / 2.5 && p->soft_cap == 0);
    for (size_t i = 0; i < p->n_layers; i++) {
        ck_assert(p->layers[i].residual_factor == 0.4 && p->layers[i].mixer.attention.scale == 0.13);
        ck_assert(p->layers[i].mixer_in.present && !p->layers[i].mixer_out.present);
    }
    plan_free(p);
    p = checkpoint_open_fixture("granite/defaults");
    ck_assert(p->embedding_scale == 1 && p->logit_factor == 1 && p->layers[0].residual_factor == 1);
    ck_assert(p->layers[0].mixer.attention.scale == 1 && p->layers[0].mixer_in.epsilon == 1e-6);
    plan_free(p);
    p = checkpoint_open_fixture("granite/head-dim");
    ck_assert_uint_eq(p->layers[0].mixer.attention.head_dim, 10);
    plan_free(p);
}
END_TEST

START_TEST(gemma_scales_its_embedding_and_has_offsets)
{
    plan *p = checkpoint_open_fixture("gemma/base");
    ck_assert(p->tied && p->soft_cap == 0 && p->logit_factor == 1 && p->embedding_scale == sqrt(28));
    ck_assert(p->norm.present && p->norm.offset == 1);
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_layer *layer = &p->layers[i];
        const plan_attention *a = &layer->mixer.attention;
        ck_assert(layer->mixer_in.offset == 1 && layer->mlp_in.offset == 1 && layer->residual_factor == 1);
        ck_assert(!layer->mixer_out.present && !layer->mlp_out.present && !a->q_norm.present);
        ck_assert_str_eq(strrchr(layer->mlp_in.weight.name, 'p'), "post_attention_layernorm.weight");
        ck_assert_uint_eq(a->head_dim, 12); /* hidden / heads is 7 */
        ck_assert(a->scale == 1 / sqrt(12) && a->score_cap == 0 && a->window == 0);
    }
    plan_free(p);
    p = checkpoint_open_fixture("gemma/defaults");
    ck_assert(p->tied && p->norm.epsilon == 1e-6 && p->ropes[0].theta == 1e4);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *hidden_act; /* NULL: that of the fixture */
    assay_activation activation;
} ACTIVATIONS_OF_GEMMA[] = {
    {"gemma/base", NULL, ASSAY_GELU_TANH},       {"gemma/old", NULL, ASSAY_GELU_TANH}, /* gelu */
    {"gemma/defaults", NULL, ASSAY_GELU_TANH},   {"gemma/act-both", NULL, ASSAY_RELU},
    {"gemma/base", "\"gelu\"", ASSAY_GELU_TANH}, {"gemma/base", "\"gelu_python\"", ASSAY_GELU},
};

START_TEST(gelu_of_gemma_is_the_approximation)
{
    const char *fixture = ACTIVATIONS_OF_GEMMA[_i].fixture, *value = ACTIVATIONS_OF_GEMMA[_i].hidden_act;
    plan *p = value ? checkpoint_open(checkpoint_changed(fixture, "hidden_act", value))
                    : checkpoint_open_fixture(fixture);
    ck_assert_int_eq(p->layers[0].mlp.activation, ACTIVATIONS_OF_GEMMA[_i].activation);
    plan_free(p);
}
END_TEST

START_TEST(gemma2_has_offsets_caps_and_alternating_windows)
{
    plan *p = checkpoint_open_fixture("gemma2/old"); /* without layer_types */
    ck_assert(p->tied && p->soft_cap == 5 && p->embedding_scale == sqrt(28) && p->norm.offset == 1);
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_layer *layer = &p->layers[i];
        const plan_norm *const norms[] = {&layer->mixer_in, &layer->mixer_out, &layer->mlp_in,
                                          &layer->mlp_out};
        for (size_t k = 0; k < 4; k++) ck_assert(norms[k]->present && norms[k]->offset == 1);
        ck_assert(layer->mixer.attention.scale == 1 / sqrt(7) && layer->mixer.attention.score_cap == 2);
        ck_assert_uint_eq(layer->mixer.attention.window, i % 2 ? 0 : 6);
        ck_assert_int_eq(layer->mlp.activation, ASSAY_GELU_TANH);
    }
    plan_free(p);
}
END_TEST

START_TEST(defaults_of_gemma2_are_those_of_its_published_class)
{
    plan *p = checkpoint_open_fixture("gemma2/defaults");
    const plan_attention *a = &p->layers[0].mixer.attention;
    ck_assert(p->soft_cap == 30 && a->score_cap == 50 && a->scale == 1.0 / 16 && p->norm.epsilon == 1e-6);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma2/base", "attn_logit_softcapping", "null"));
    ck_assert(p->layers[0].mixer.attention.score_cap == 0);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma2/base", "final_logit_softcapping", "null"));
    ck_assert(p->soft_cap == 0);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma2/base", "sliding_window", NULL));
    ck_assert_uint_eq(p->layers[0].mixer.attention.window, 4096);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("olmo2/base", "rms_norm_eps", NULL));
    ck_assert(p->layers[0].mixer_out.epsilon == 1e-5);
    plan_free(p);
}
END_TEST

START_TEST(qwen3_5_alternates_delta_nets_and_gated_attention)
{
    plan *p = checkpoint_open_fixture("qwen3_5/base");
    ck_assert(!p->tied && p->norm.offset == 1 && p->positions == PLAN_POSITIONS_INDEX && !p->vision.present);
    for (size_t i = 0; i < 3; i++) {
        const plan_delta *d = &p->layers[i].mixer.delta;
        ck_assert(p->layers[i].mixer.kind == PLAN_MIXER_DELTA && p->layers[i].mixer_in.offset == 1);
        ck_assert(d->n_k_heads == 2 && d->n_v_heads == 4 && d->k_dim == 6 && d->v_dim == 5 && d->kernel == 4);
        ck_assert(d->norm.offset == 0 && d->norm.width == 5 && d->conv.rows == 44 && d->conv.cols == 4);
    }
    const plan_attention *a = plan_layer_attention(&p->layers[3]);
    ck_assert(a->is_gated && a->q.weight.rows == 2 * a->n_heads * a->head_dim && a->q_norm.offset == 1);
    ck_assert(p->ropes[a->rope].dim == 8 && p->ropes[a->rope].sections == ROPE_SECTIONS_INTERLEAVED);
    plan_free(p);
}
END_TEST

START_TEST(norms_of_a_converted_qwen3_5_hold_the_sum)
{
    plan *p = checkpoint_open_fixture("qwen3_5/mlx-4bit");
    ck_assert(p->norm.offset == 0 && p->layers[0].mixer_in.offset == 0 && p->layers[1].mlp_in.offset == 0);
    ck_assert(plan_layer_attention(&p->layers[1])->q_norm.offset == 0);
    plan_free(p);
}
END_TEST

START_TEST(qwen3_5_without_layer_types_has_an_interval)
{
    plan *p = checkpoint_open_fixture("qwen3_5/old");
    ck_assert(p->layers[0].mixer.kind == PLAN_MIXER_DELTA && p->layers[1].mixer.kind == PLAN_MIXER_ATTENTION);
    plan_free(p);
    p = checkpoint_open_fixture("qwen3_5/defaults"); /* every fourth, and a quarter of a head rotates */
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(p->layers[i].mixer.kind, i == 3 ? PLAN_MIXER_ATTENTION : PLAN_MIXER_DELTA);
    ck_assert(p->ropes[0].dim == 4 && p->ropes[0].theta == 10000 && p->ropes[0].section[0] == 11);
    plan_free(p);
}
END_TEST

START_TEST(qwen3_5_moe_has_a_shared_expert_with_a_gate)
{
    plan *p = checkpoint_open_fixture("qwen3_5_moe/base");
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_experts *x = &p->layers[i].experts;
        ck_assert(x->present && x->renormalize && !p->layers[i].mlp.present && x->n_active == 2);
        ck_assert(x->shared.present && x->shared.intermediate == 17 && x->shared_gate.cols == p->hidden);
    }
    plan_free(p);
}
END_TEST

START_TEST(qwen3_next_has_rows_in_groups_and_mlps_in_some_layers)
{
    plan *p = checkpoint_open_fixture("qwen3_next/options");
    const plan_delta *d = &p->layers[1].mixer.delta;
    ck_assert(d->groups_heads && d->n_k_heads == 1 && plan_delta_row(d, 7) == 7);
    ck_assert(p->layers[1].mlp.present && p->layers[2].experts.present && !p->layers[2].experts.renormalize);
    plan_free(p);
    p = checkpoint_open_fixture("qwen3_next/base"); /* two key heads of 6, each with values of 2 by 5 */
    d = &p->layers[0].mixer.delta;
    const size_t rows[][2] = {{0, 0}, {6, 22}, {12, 6}, {18, 28}, {24, 12}, {34, 34}, {43, 43}};
    for (size_t k = 0; k < 7; k++) ck_assert_uint_eq(plan_delta_row(d, rows[k][0]), rows[k][1]);
    ck_assert(p->ropes[0].dim == 4 && p->ropes[0].sections == ROPE_SECTIONS_NONE);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *value; /* of sliding_window; NULL: absent */
    size_t window;               /* of the first layer */
} WINDOWS[] = {
    {"mistral/window", "6", 6},       {"mistral/window", "null", 0},   {"mistral/window", NULL, 4096},
    {"phi3/window", "6", 6},          {"phi3/window", "null", 0},      {"phi3/window", NULL, 0},
    {"qwen3_moe/window", NULL, 4096}, {"qwen3_moe/window", "null", 0}, {"gemma2/base", NULL, 4096},
};

START_TEST(a_window_is_absent_null_or_stated)
{
    const char *fixture = WINDOWS[_i].fixture;
    plan *p = checkpoint_open(checkpoint_changed(fixture, "sliding_window", WINDOWS[_i].value));
    ck_assert_uint_eq(p->layers[0].mixer.attention.window, WINDOWS[_i].window);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *fragment[2];
} REFUSED[] = {
    {"gemma/base", "head_dim", NULL, ASSAY_EFORMAT, {"head_dim: missing", ""}},
    {"gemma/base", "head_dim", "11", ASSAY_EFORMAT, {"head_dim: found 11", "an even number"}},
    {"gemma/base", "num_key_value_heads", NULL, ASSAY_EFORMAT, {"num_key_value_heads: missing", ""}},
    {"gemma/base", "hidden_act", "\"mish\"", ASSAY_EUNSUPPORTED, {"hidden_act: found \"mish\"", "gelu"}},
    {"gemma/base", "hidden_act", "1", ASSAY_EFORMAT, {"hidden_act: found 1", "a string"}},
    {"gemma/base", "attention_bias", "true", ASSAY_EFORMAT, {"self_attn.", "bias' is missing"}},
    {"gemma/base", "tie_word_embeddings", "false", ASSAY_EFORMAT, {"lm_head.weight", "is missing"}},
    {"gemma/base",
     "use_bidirectional_attention",
     "true",
     ASSAY_EUNSUPPORTED,
     {"use_bidirectional_attention", "true"}},
    {"gemma2/base", "head_dim", NULL, ASSAY_EFORMAT, {"head_dim: missing", ""}},
    {"gemma2/base", "num_key_value_heads", NULL, ASSAY_EFORMAT, {"num_key_value_heads: missing", ""}},
    {"gemma2/base",
     "attn_logit_softcapping",
     "0",
     ASSAY_EFORMAT,
     {"attn_logit_softcapping: found 0", "above 0"}},
    {"gemma2/base",
     "final_logit_softcapping",
     "-1",
     ASSAY_EFORMAT,
     {"final_logit_softcapping: found -1", "above 0"}},
    {"gemma2/base",
     "query_pre_attn_scalar",
     "0",
     ASSAY_EFORMAT,
     {"query_pre_attn_scalar: found 0", "above 0"}},
    {"gemma2/base",
     "use_bidirectional_attention",
     "true",
     ASSAY_EUNSUPPORTED,
     {"use_bidirectional_attention", "true"}},
    {"gemma2/base", "sliding_window", "null", ASSAY_EFORMAT, {"layer_types[0]", "sliding_window is null"}},
    {"gemma2/base", "sliding_window", "0", ASSAY_EFORMAT, {"sliding_window: found 0", "positive"}},
    {"gemma2/base",
     "layer_types",
     "[\"full_attention\"]",
     ASSAY_EFORMAT,
     {"layer_types: found", "a list of 4"}},
    {"gemma2/base", "attention_bias", "true", ASSAY_EFORMAT, {"self_attn.", "bias' is missing"}},
    {"mistral/window", "sliding_window", "0", ASSAY_EFORMAT, {"sliding_window: found 0", "positive"}},
    {"mistral/window", "num_key_value_heads", NULL, ASSAY_EFORMAT, {"num_key_value_heads: missing", ""}},
    {"olmo2/base", "num_key_value_heads", "4", ASSAY_EFORMAT, {"self_attn.k_proj.weight", "expected [40, "}},
    {"olmo2/base", "num_key_value_heads", "3", ASSAY_EFORMAT, {"num_key_value_heads: found 3", "a divisor"}},
    {"olmo2/base", "attention_bias", "true", ASSAY_EFORMAT, {"self_attn.", "bias' is missing"}},
    {"granite/base", "logits_scaling", "0", ASSAY_EFORMAT, {"logits_scaling: found 0", "above 0"}},
    {"granite/base",
     "residual_multiplier",
     "\"1\"",
     ASSAY_EFORMAT,
     {"residual_multiplier: found \"1\"", "a number"}},
    {"granite/base",
     "attention_multiplier",
     "-0.5",
     ASSAY_EFORMAT,
     {"attention_multiplier: found -0.5", "above 0"}},
    {"granite/base",
     "embedding_multiplier",
     "[]",
     ASSAY_EFORMAT,
     {"embedding_multiplier: found []", "a number"}},
    {"granite/base", "mlp_bias", "true", ASSAY_EFORMAT, {"mlp.", "bias' is missing"}},
    {"qwen3_5/sharded",
     "hidden_act",
     "\"gelu\"",
     ASSAY_EUNSUPPORTED,
     {"hidden_act: found \"gelu\", expected \"silu\"", "convolution"}},
    {"qwen3_5/sharded", "linear_key_head_dim", NULL, ASSAY_EFORMAT, {"linear_key_head_dim: missing", ""}},
    {"qwen3_5/sharded",
     "linear_num_value_heads",
     "3",
     ASSAY_EFORMAT,
     {"linear_num_value_heads: found 3", "a multiple of the 2 key heads"}},
    {"qwen3_5/sharded",
     "linear_conv_kernel_dim",
     "1",
     ASSAY_EUNSUPPORTED,
     {"linear_conv_kernel_dim: found 1", "at least 2"}},
    {"qwen3_5/sharded",
     "layer_types",
     "[\"full_attention\", \"sliding_attention\"]",
     ASSAY_EUNSUPPORTED,
     {"layer_types[1]: found \"sliding_attention\"", "\"linear_attention\""}},
    {"qwen3_next/base", "num_experts", "5", ASSAY_EFORMAT, {"mlp.gate.weight", "expected [5, 20]"}},
    {"qwen3_next/base",
     "linear_num_value_heads",
     "2",
     ASSAY_EFORMAT,
     {"linear_attn.in_proj_qkvz.weight", "expected"}},
    {"qwen3_5_moe/old",
     "num_experts_per_tok",
     "9",
     ASSAY_EFORMAT,
     {"num_experts_per_tok: found 9", "at most the 5 experts"}},
};

START_TEST(what_a_class_does_not_compute_is_refused)
{
    checkpoint_expect_refusal(REFUSED[_i].fixture, REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].fragment[0], REFUSED[_i].fragment[1]);
}
END_TEST

static const struct {
    const char *fixture, *said[4];
} PRINTED[] = {
    {"olmo2/base", {"q and k normalised over all heads", "norms q k mixer_out mlp_out, epsilon 1e-06\n"}},
    {"granite/base", {"logits times 0.4", "embedding times 6", "scale 0.13,", "residuals times 0.4"}},
    {"gemma/base", {"embedding times 5.29", "scale 0.288675, full", "gelu_pytorch_tanh", "mlp_in (1 + w)"}},
    {"gemma2/base",
     {"final logit softcapping 5", "attention logit softcapping 2, window 6", "mixer_in (1 + w)",
      "mlp_out (1 + w)"}},
    {"qwen3_5/base",
     {"gated delta net, 4 heads of 6 by 5, keys of 2 heads, convolution over 4 tokens", "rope 0, gated",
      "norms mixer_in (1 + w) delta mlp_in (1 + w)", "sections 2, 1, 1 interleaved"}},
    {"qwen3_5_moe/base", {"shared expert 17, silu, gated", "experts 2 of 5, 15 each, silu, renormalised"}},
};

START_TEST(the_plan_prints_norms_caps_and_factors)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    plan *p = checkpoint_open_fixture(PRINTED[_i].fixture);
    plan_print(p, NULL, out);
    (void)fclose(out);
    for (size_t k = 0; k < 4 && PRINTED[_i].said[k]; k++)
        ck_assert_msg(strstr(text, PRINTED[_i].said[k]) != NULL, "no \"%s\" in:\n%s", PRINTED[_i].said[k],
                      text);
    plan_free(p);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/decoder");
    TCase *all = tcase_create("resolved");
    tcase_add_test(all, olmo2_has_norms_after_its_parts_and_over_whole_projections);
    tcase_add_test(all, granite_has_four_factors);
    tcase_add_test(all, gemma_scales_its_embedding_and_has_offsets);
    tcase_add_loop_test(all, a_window_is_absent_null_or_stated, 0, (int)(sizeof WINDOWS / sizeof *WINDOWS));
    tcase_add_loop_test(all, gelu_of_gemma_is_the_approximation, 0,
                        sizeof ACTIVATIONS_OF_GEMMA / sizeof *ACTIVATIONS_OF_GEMMA);
    tcase_add_test(all, gemma2_has_offsets_caps_and_alternating_windows);
    tcase_add_test(all, defaults_of_gemma2_are_those_of_its_published_class);
    tcase_add_test(all, qwen3_5_alternates_delta_nets_and_gated_attention);
    tcase_add_test(all, norms_of_a_converted_qwen3_5_hold_the_sum);
    tcase_add_test(all, qwen3_5_without_layer_types_has_an_interval);
    tcase_add_test(all, qwen3_next_has_rows_in_groups_and_mlps_in_some_layers);
    tcase_add_test(all, qwen3_5_moe_has_a_shared_expert_with_a_gate);
    tcase_add_loop_test(all, what_a_class_does_not_compute_is_refused, 0, sizeof REFUSED / sizeof *REFUSED);
    tcase_add_loop_test(all, the_plan_prints_norms_caps_and_factors, 0, sizeof PRINTED / sizeof *PRINTED);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
