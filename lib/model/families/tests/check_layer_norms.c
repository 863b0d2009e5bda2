/* What is resolved of families with LayerNorms over the hidden size, parallel layers and MLPs without a gate,
 * and what they refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

static void expect_norm(const plan_norm *norm, bool has_bias, const plan *p)
{
    ck_assert(norm->present && norm->kind == PLAN_LAYER_NORM && norm->offset == 0);
    ck_assert(norm->width == p->hidden && norm->weight.data && !norm->bias.data == !has_bias);
}

/* All layers have an MLP in parallel, or none has. */
static void expect_layers(const plan *p, bool has_bias, bool is_parallel, bool is_gated)
{
    expect_norm(&p->norm, has_bias, p);
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_layer *layer = &p->layers[i];
        expect_norm(&layer->mixer_in, has_bias, p);
        ck_assert(layer->is_parallel == is_parallel && layer->mlp_in.present == !is_parallel);
        if (!is_parallel) expect_norm(&layer->mlp_in, has_bias, p);
        ck_assert(!layer->mixer_out.present && !layer->mlp_out.present);
        ck_assert(!layer->mlp.gate.weight.data == !is_gated && layer->mlp.up.weight.data);
    }
}

static void expect_own_weights(const plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_attention *a = &p->layers[i].mixer.attention;
        const plan_norm *const norms[] = {&a->q_norm, &a->k_norm};
        for (size_t k = 0; k < 2; k++) {
            ck_assert(norms[k]->kind == PLAN_LAYER_NORM && !norms[k]->bias.data);
            ck_assert_uint_eq(norms[k]->width, a->head_dim);
            ck_assert_uint_eq(norms[k]->n_weights, k == 0 ? a->n_heads : a->n_kv_heads);
            ck_assert_uint_eq(array_bytes(norms[k]->weight.values),
                              norms[k]->n_weights * norms[k]->width * sizeof(double));
        }
    }
}

START_TEST(cohere2_turns_neighbouring_pairs_in_layers_with_a_window)
{
    plan *p = checkpoint_open_fixture("cohere2/base");
    expect_layers(p, false, true, true);
    ck_assert(p->tied && p->logit_factor == 0.4 && p->n_ropes == 1 && p->embedding_scale == 1);
    ck_assert(p->ropes[0].pairing == ROPE_PAIRS_ADJACENT && p->ropes[0].theta == 5000);
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_attention *a = &p->layers[i].mixer.attention;
        ck_assert_uint_eq(a->window, i == 0 ? 6 : 0);
        ck_assert_uint_eq(a->rope, i == 0 ? 0 : PLAN_NONE);
        ck_assert_uint_eq(a->head_dim, 6);
    }
    plan_free(p);
    p = checkpoint_open_fixture("cohere2/options");
    ck_assert(!p->tied && p->layers[0].mixer.attention.window == 6 && !p->layers[1].mixer.attention.window);
    ck_assert(p->layers[0].mixer.attention.head_dim == 10 && p->layers[0].mixer.attention.o.bias.data);
    plan_free(p);
}
END_TEST

START_TEST(defaults_of_cohere2_are_those_of_its_published_class)
{
    plan *p = checkpoint_open_fixture("cohere2/defaults");
    ck_assert(p->tied && p->logit_factor == 0.0625 && p->norm.epsilon == 1e-5 && p->ropes[0].theta == 1e4);
    ck_assert_uint_eq(p->layers[1].mixer.attention.window, 4096);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed(
        "cohere2/base", "layer_types", "[\"full_attention\", \"sliding_attention\", \"full_attention\"]"));
    ck_assert_uint_eq(p->layers[0].mixer.attention.rope, PLAN_NONE);
    ck_assert(p->layers[1].mixer.attention.rope == 0 && p->layers[1].mixer.attention.window == 6);
    plan_free(p);
}
END_TEST

START_TEST(cohere_turns_all_layers)
{
    plan *p = checkpoint_open_fixture("cohere/base");
    expect_layers(p, false, true, true);
    ck_assert(p->tied && p->logit_factor == 0.4 && p->ropes[0].pairing == ROPE_PAIRS_ADJACENT);
    ck_assert(p->layers[1].mixer.attention.rope == 0 && !p->layers[1].mixer.attention.window);
    plan_free(p);
    p = checkpoint_open_fixture("cohere/options");
    expect_own_weights(p);
    plan_free(p);
    p = checkpoint_open_fixture("cohere/defaults");
    ck_assert(p->tied && p->logit_factor == 0.0625 && p->norm.epsilon == 1e-5 && p->ropes[0].theta == 5e5);
    plan_free(p);
}
END_TEST

START_TEST(starcoder2_has_biases_unless_its_config_says_otherwise)
{
    plan *p = checkpoint_open_fixture("starcoder2/base");
    expect_layers(p, true, false, false);
    const plan_layer *layer = &p->layers[0];
    ck_assert(layer->mixer.attention.q.bias.data && layer->mixer.attention.o.bias.data);
    ck_assert(layer->mlp.up.bias.data && layer->mlp.down.bias.data && p->tied && !p->head_bias.data);
    ck_assert(layer->mixer.attention.window == 6 && p->ropes[0].pairing == ROPE_PAIRS_HALF);
    ck_assert_int_eq(layer->mlp.activation, ASSAY_GELU_TANH);
    plan_free(p);
    p = checkpoint_open_fixture("starcoder2/options");
    expect_layers(p, true, false, false);
    ck_assert(!p->layers[0].mixer.attention.q.bias.data && !p->layers[0].mlp.down.bias.data && !p->tied);
    plan_free(p);
    p = checkpoint_open_fixture("starcoder2/defaults");
    ck_assert(p->norm.epsilon == 1e-5 && !p->layers[0].mixer.attention.window && p->tied);
    plan_free(p);
}
END_TEST

START_TEST(phi_has_a_bias_of_its_head_and_partial_ropes)
{
    plan *p = checkpoint_open_fixture("phi/base");
    expect_layers(p, true, true, false);
    const plan_attention *a = &p->layers[0].mixer.attention;
    ck_assert(!p->tied && p->head_bias.data && p->ropes[0].dim == 6 && a->head_dim == 8);
    ck_assert(a->q_norm.kind == PLAN_LAYER_NORM && a->q_norm.bias.data && a->q_norm.width == 8);
    ck_assert(a->k_norm.bias.data && !a->norms_after_rope && a->o.bias.data);
    plan_free(p);
    p = checkpoint_open_fixture("phi/options");
    ck_assert(p->tied && p->head_bias.data && !p->layers[0].mixer.attention.q_norm.present);
    plan_free(p);
    p = checkpoint_open_fixture("phi/defaults");
    ck_assert(p->norm.epsilon == 1e-5 && p->ropes[0].theta == 1e4 && p->ropes[0].dim == 4);
    ck_assert_int_eq(p->layers[0].mlp.activation, ASSAY_GELU_TANH);
    plan_free(p);
}
END_TEST

START_TEST(stablelm_has_its_mlp_after_attention_or_in_parallel)
{
    plan *p = checkpoint_open_fixture("stablelm/base");
    expect_layers(p, true, false, true);
    const plan_attention *a = &p->layers[0].mixer.attention;
    ck_assert(!p->tied && a->q.bias.data && !a->o.bias.data && p->ropes[0].dim == 6);
    plan_free(p);
    p = checkpoint_open_fixture("stablelm/options");
    expect_layers(p, true, true, true);
    ck_assert(p->tied);
    expect_own_weights(p);
    plan_free(p);
    p = checkpoint_open_fixture("stablelm/defaults");
    ck_assert(p->norm.epsilon == 1e-5 && p->ropes[0].dim == 2 && !p->layers[0].mixer.attention.q.bias.data);
    plan_free(p);
}
END_TEST

static const struct {
    const char *fixture, *member, *value;
    assay_status status;
    const char *fragment[2];
} REFUSED[] = {
    {"cohere2/base", "logit_scale", "0", ASSAY_EFORMAT, {"logit_scale: found 0", "above 0"}},
    {"cohere2/base", "layer_norm_eps", "-1", ASSAY_EFORMAT, {"layer_norm_eps: found -1", ""}},
    {"cohere2/base",
     "sliding_window",
     "null",
     ASSAY_EFORMAT,
     {"layer_types[0]: found sliding_attention", "sliding_window is null"}},
    {"cohere2/base", "attention_bias", "true", ASSAY_EFORMAT, {"self_attn.", "bias' is missing"}},
    {"cohere2/base", "use_parallel_block", "false", ASSAY_EUNSUPPORTED, {"use_parallel_block", ""}},
    {"cohere2/base", "rotary_pct", "0.5", ASSAY_EUNSUPPORTED, {"rotary_pct", ""}},
    {"cohere2/base", "rms_norm_eps", "1e-5", ASSAY_EUNSUPPORTED, {"rms_norm_eps", ""}},
    {"cohere/base", "use_qk_norm", "true", ASSAY_EFORMAT, {"self_attn.q_norm.weight", "missing"}},
    {"cohere/options", "use_qk_norm", "false", ASSAY_EFORMAT, {"_norm.weight", ""}},
    {"stablelm/base", "qk_layernorm", "true", ASSAY_EFORMAT, {"q_layernorm.norms.0.weight", "missing"}},
    {"stablelm/options", "num_attention_heads", "8", ASSAY_EFORMAT, {"tensor '", ""}},
    {"starcoder2/base", "norm_type", "\"rms_norm\"", ASSAY_EUNSUPPORTED, {"norm_type", ""}},
    {"starcoder2/base", "num_key_value_heads", NULL, ASSAY_EFORMAT, {"num_key_value_heads: missing", ""}},
    {"starcoder2/options", "use_bias", "true", ASSAY_EFORMAT, {"bias' is missing", ""}},
    {"stablelm/base", "head_dim", "10", ASSAY_EUNSUPPORTED, {"head_dim: found 10", "hidden_size"}},
};

START_TEST(what_a_class_does_not_compute_is_refused)
{
    checkpoint_expect_refusal(REFUSED[_i].fixture, REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].fragment[0], REFUSED[_i].fragment[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/layer_norms");
    TCase *all = tcase_create("resolved");
    tcase_add_test(all, cohere2_turns_neighbouring_pairs_in_layers_with_a_window);
    tcase_add_test(all, defaults_of_cohere2_are_those_of_its_published_class);
    tcase_add_test(all, cohere_turns_all_layers);
    tcase_add_test(all, starcoder2_has_biases_unless_its_config_says_otherwise);
    tcase_add_test(all, phi_has_a_bias_of_its_head_and_partial_ropes);
    tcase_add_test(all, stablelm_has_its_mlp_after_attention_or_in_parallel);
    tcase_add_loop_test(all, what_a_class_does_not_compute_is_refused, 0, sizeof REFUSED / sizeof *REFUSED);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
