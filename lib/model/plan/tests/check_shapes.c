/* Norms and matrices of a plan fit what they are applied to.
 *
 * Names families: a row has a change of a plan, and a checkpoint whose plan has the member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes.h"

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

#include <stdlib.h>
#include <string.h>

static plan *opened;
static assay_error err;

static void widen_norm(plan_norm *n)
{
    n->width = ++n->weight.cols;
}

static void norm(plan *p)
{
    widen_norm(&p->norm);
}
static void mixer_in(plan *p)
{
    widen_norm(&p->layers[1].mixer_in);
}
static void mlp_out(plan *p)
{
    widen_norm(&p->layers[0].mlp_out);
}
static void head_norm(plan *p)
{
    widen_norm(&p->layers[0].mixer.attention.k_norm);
}
static void head_norm_weights(plan *p)
{
    p->layers[1].mixer.attention.k_norm.weight.cols--;
}
static void head_norm_heads(plan *p)
{
    plan_norm *n = &p->layers[0].mixer.attention.q_norm;
    n->weight.cols = --n->n_weights * n->width;
}
static void norm_weight(plan *p)
{
    p->layers[0].mlp_in.weight.cols--;
}
static void rms_norm_bias(plan *p)
{
    p->layers[0].mixer_in.bias = p->norm.weight;
}
static void layer_norm_bias(plan *p)
{
    p->layers[0].mixer_in.kind = PLAN_LAYER_NORM;
    p->layers[0].mixer_in.bias = p->norm.weight;
    p->layers[0].mixer_in.bias.cols--;
}
static void query(plan *p)
{
    p->layers[0].mixer.attention.q.weight.rows++;
}
static void output(plan *p)
{
    p->layers[0].mixer.attention.o.weight.cols--;
}
static void key(plan *p)
{
    p->layers[0].mixer.attention.k.weight.data = NULL;
}
static void bias(plan *p)
{
    p->layers[0].mixer.attention.v.bias.cols++;
}
static void down(plan *p)
{
    p->layers[0].mlp.down.weight.cols++;
}
static void head(plan *p)
{
    p->head.rows--;
}
static void expert(plan *p)
{
    p->layers[0].experts.up[2].rows++;
}
static void router(plan *p)
{
    p->layers[0].experts.router.cols++;
}
static void own_expert(plan *p)
{
    p->layers[1].own_experts.up[2].rows++;
}
static void choice_bias(plan *p)
{
    p->layers[1].own_experts.choice_bias.cols--;
}
static void expert_scale(plan *p)
{
    p->layers[0].experts.expert_scale.cols++;
}
static void active(plan *p)
{
    p->layers[0].experts.n_active = p->layers[0].experts.n_experts + 1;
}
static void table(plan *p)
{
    p->layer_inputs.table.cols--;
}
static void layer_input(plan *p)
{
    p->layers[0].layer_input.projection.weight.cols++;
}
static void prediction(plan *p)
{
    p->layers[0].altup.prediction.rows++;
}
static void right(plan *p)
{
    p->layers[0].laurel.right.weight.cols++;
}
static void unprojection(plan *p)
{
    p->streams.unprojection[0].rows++;
}
static void rope_head(plan *p)
{
    p->ropes[0].head_dim += 2;
}
static void rope_index(plan *p)
{
    p->layers[0].mixer.attention.rope = 7;
}
static void kv_heads(plan *p)
{
    p->layers[0].mixer.attention.n_kv_heads = 3;
}
static void head_scale(plan *p)
{
    p->layers[1].mixer.attention.head_scale.q.rows--;
}
static void head_scale_heads(plan *p)
{
    p->layers[0].mixer.attention.n_kv_heads = 1;
}
static void parallel_norm(plan *p)
{
    p->layers[2].mlp_in = p->layers[2].mixer_in;
}
static void expert_bias(plan *p)
{
    p->layers[1].experts.down_bias.rows--;
}
static void router_bias(plan *p)
{
    p->layers[1].experts.router_bias.cols--;
}
static void head_bias(plan *p)
{
    p->head_bias.cols--;
}
static void crop_margin(plan *p)
{
    p->vision.crops.margin = 2;
}
static void sinks(plan *p)
{
    p->layers[1].mixer.attention.sinks.cols--;
}
static void repeats(plan *p)
{
    p->layers[0].mixer.attention.kv_repeats = 4;
}
static void plane_frequency(plan *p)
{
    p->plane_rope.frequency.cols -= 2;
}
static void plane_first(plan *p)
{
    p->plane_rope.first++;
}
static void shared_head(plan *p)
{
    p->layers[p->n_layers - 1].mixer.attention.cache_layer = p->n_layers;
}
static void scalar(plan *p)
{
    p->layers[0].scalar.cols = 2;
}

static const struct {
    const char *fixture;
    void (*change)(plan *p);
    const char *holds[2];
} CHANGES[] = {
    {"qwen2/base", norm, {": norm: tensor 'model.norm.weight': found width 33, expected 32", ""}},
    {"qwen2/base",
     mixer_in,
     {"layers.1.mixer_in: tensor 'model.layers.1.input_layernorm.weight'", "width 33"}},
    {"gemma2/base", mlp_out, {"layers.0.mlp_out: tensor", "post_feedforward_layernorm"}},
    {"qwen3/base", head_norm, {"layers.0.k_norm: tensor", "found width 15, expected 14"}},
    {"olmo2/base", head_norm, {"layers.0.k_norm: tensor", "expected "}},
    {"qwen2/base", norm_weight, {"layers.0.mlp_in: tensor", "found shape [31], expected [32]"}},
    {"qwen2/base", rms_norm_bias, {"layers.0.mixer_in: tensor", "found a bias of an RMSNorm, expected none"}},
    {"qwen2/base", layer_norm_bias, {"layers.0.mixer_in: tensor 'model.norm.weight'", "found shape [31]"}},
    {"qwen2/base", query, {"layers.0.q: tensor", "found shape [33, 32], expected [32, 32]"}},
    {"qwen2/base", output, {"layers.0.o: tensor", "found shape [32, 31], expected [32, 32]"}},
    {"qwen2/base", key, {"layers.0.k: tensor", "k_proj"}},
    {"qwen2/base", bias, {"layers.0.v: tensor 'model.layers.0.self_attn.v_proj.bias'", "found shape [17]"}},
    {"qwen2/base", down, {"layers.0.mlp.down: tensor", "found shape [32, 46], expected [32, 45]"}},
    {"llama/base", head, {": head: tensor 'lm_head.weight'", "expected ["}},
    {"qwen3_moe/base", expert, {"layers.0.experts.up: tensor", ".experts.2.up_proj.weight"}},
    {"ernie4_5_vl_moe/new",
     own_expert,
     {"layers.1.own_experts.up: tensor", ".vision_moe.experts.gate_up_proj"}},
    {"ernie4_5_vl_moe/new", choice_bias, {"layers.1.own_experts.choice_bias: tensor", ""}},
    {"qwen3_moe/base", router, {"layers.0.experts.router: tensor", ""}},
    {"gemma4/experts", expert_scale, {"layers.0.experts.expert_scale: tensor", "per_expert_scale"}},
    {"qwen3_moe/base", active, {"layers.0.experts: found ", " active, expected 1 to "}},
    {"gemma3n/text", table, {"layer_inputs.table: tensor", "embed_tokens_per_layer"}},
    {"gemma3n/text", layer_input, {"layers.0.layer_input.projection: tensor", ""}},
    {"gemma3n/text", prediction, {"layers.0.altup.prediction: tensor", "prediction_coefs"}},
    {"gemma3n/text", right, {"layers.0.laurel.right: tensor", "linear_right"}},
    {"gemma3n/text", unprojection, {"streams.unprojection: tensor", ""}},
    {"qwen2/base", rope_head, {"layers.0.rope: found 8 of 10 elements, expected heads of 8", ""}},
    {"qwen2/base", rope_index, {"layers.0.rope: found rope 7, expected one of 1", ""}},
    {"qwen2/base", kv_heads, {"layers.0.attention: found 4 heads and 3 key/value heads", ""}},
    {"falcon_ocr/base",
     sinks,
     {"layers.1.sinks: tensor 'layers.1.attention.sinks'", "found shape [5], expected [6]"}},
    {"falcon_ocr/base", repeats, {"layers.0.attention: found 6 key/value heads", "a multiple of the 4"}},
    {"falcon_ocr/base",
     plane_frequency,
     {"layers.0.plane_rope: tensor 'freqs_cis_golden'", "found shape [34], expected [36]"}},
    {"falcon_ocr/base", plane_first, {"layers.0.plane_rope: found elements 7 to 13 of 12", ""}},
    {"moondream3/base",
     head_scale,
     {"layers.1.head_scale.q: tensor 'model.text.blocks.1.attn.tau.wq'",
      "found shape [2, 90], expected [3, 90]"}},
    {"moondream3/base", head_scale_heads, {"layers.0.head_scale: found 3 heads and 1 key/value heads", ""}},
    {"moondream3/base", parallel_norm, {"layers.2.parallel: found a norm of the MLP", ""}},
    {"moondream3/base",
     router_bias,
     {"layers.1.experts.router_bias: tensor", "found shape [4], expected [5]"}},
    {"gpt_oss/base",
     expert_bias,
     {"layers.1.experts.down_bias: tensor", "found shape [3, 16], expected [4, 16]"}},
    {"cohere/options",
     head_norm_weights,
     {"layers.1.k_norm: tensor 'model.layers.1.self_attn.k_norm.weight'", "found shape [19], expected [20]"}},
    {"stablelm/options",
     head_norm_heads,
     {"layers.0.q_norm: found weights of 3 heads of 8", "expected 4 heads of 8"}},
    {"moondream3/base", head_bias, {"head_bias: tensor 'model.text.lm_head.bias'", "expected [53]"}},
    {"moondream3/base", crop_margin, {"tower.crops: found a margin of 2", "half of a table of two taps (4)"}},
    {"gemma4/shared-kv", shared_head, {".keys: found those of layer ", "an earlier layer with its own"}},
    {"gemma4/dense", scalar, {"layers.0.scalar: tensor", "found shape [2], expected [1]"}},
};

START_TEST(a_part_that_does_not_fit_is_named)
{
    opened = checkpoint_open_fixture(CHANGES[_i].fixture);
    ck_assert_int_eq(plan_check_shapes(opened, &err), ASSAY_OK);
    CHANGES[_i].change(opened);
    ck_assert_int_eq(plan_check_shapes(opened, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, CHANGES[_i].fixture, CHANGES[_i].holds[0], CHANGES[_i].holds[1],
                         NULL);
    plan_free(opened);
}
END_TEST

/* Layer 5 shares the keys of an earlier layer, which has 2 heads. */
START_TEST(a_layer_with_other_heads_than_those_whose_keys_it_reads_is_refused)
{
    plan *p = NULL;
    const char *dir =
        checkpoint_changed("gemma4/shared-kv-new", "per_layer_config.5.num_key_value_heads", "1");
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT,
                         "layers.5.keys: found 1 heads of 16, expected 2 of 16, as in layer ",
                         "whose keys and values it reads", NULL);
}
END_TEST

typedef struct seen {
    size_t n, n_norms;
    bool has_expert, has_norm;
} seen;

static void count_weight(void *context, const char *place, const plan_weight *w, double added)
{
    seen *all = context;
    if (w->data) all->n++;
    if (added != 0) all->n_norms++;
    if (strcmp(place, "layers.0.experts.down") == 0 && w->rows) all->has_expert = true;
    if (strcmp(place, "layers.0.mixer_in") == 0 && w->cols) all->has_norm = true;
}

START_TEST(a_visitor_is_given_every_weight)
{
    static const struct {
        const char *fixture;
        size_t n_norms; /* norms that are stored less 1 */
        bool has_expert;
    } ROWS[] = {{"qwen3_moe/base", 0, true}, {"gemma/base", 1, false}, {"llama/base", 0, false}};
    plan *p = checkpoint_open_fixture(ROWS[_i].fixture);
    seen all = {0};
    plan_visit_weights(p, count_weight, &all);
    size_t n = 0;
    for (size_t i = 0; i < p->n_storages; i++) n += p->storages[i].n_tensors;
    ck_assert_uint_eq(all.n, n + (p->tied ? 1 : 0));
    ck_assert(all.has_norm && all.has_expert == ROWS[_i].has_expert);
    ck_assert_uint_ge(all.n_norms, ROWS[_i].n_norms);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/shapes");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, a_part_that_does_not_fit_is_named, 0, (int)(sizeof CHANGES / sizeof *CHANGES));
    tcase_add_test(all, a_layer_with_other_heads_than_those_whose_keys_it_reads_is_refused);
    tcase_add_loop_test(all, a_visitor_is_given_every_weight, 0, 3);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
