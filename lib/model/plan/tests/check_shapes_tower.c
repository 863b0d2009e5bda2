/* Parts of towers that do not fit each other are refused by name: a plan is changed after it has been opened.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/shapes.h"

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

static void patch_channels(plan *p)
{
    p->vision.patches.channels = 0;
}
static void patch_size(plan *p)
{
    p->vision.patches.size = 5;
}
static void patch_bias(plan *p)
{
    p->vision.patches.embed.bias.cols = 17;
}
static void chunk(plan *p)
{
    p->audio.audio.chunk = 0;
}
static void convolution(plan *p)
{
    p->audio.audio.convolutions[1].product.weight.cols = 44;
}
static void bins(plan *p)
{
    p->audio.audio.n_bins = 17;
}
static void period(plan *p)
{
    p->audio.table.period = 0;
}
static void no_merge(plan *p)
{
    p->vision.merge = 0;
}
static void no_pool(plan *p)
{
    p->vision.pooling.side = 0;
}
static void merge_and_pool(plan *p)
{
    p->vision.pooling.side = 2;
}
static void in_norm(plan *p)
{
    p->vision.in_norm = p->norm;
}
static void table_side(plan *p)
{
    p->vision.table.side = 7;
}
static void rope_axes(plan *p)
{
    p->vision.rope.sections = ROPE_SECTIONS_CHUNKED;
}
static void rope_dim(plan *p)
{
    p->vision.rope.dim = 6;
}
static void rope_head(plan *p)
{
    p->vision.rope.head_dim = 12;
}
static void rope_index(plan *p)
{
    p->vision.layers[1].attention.rope = 1;
}
static void no_rope(plan *p)
{
    p->vision.has_rope = false;
}
static void kv_heads(plan *p)
{
    p->vision.layers[0].attention.n_kv_heads = 0;
}
static void mask(plan *p)
{
    p->vision.layers[0].attention.mask = PLAN_MASK_CAUSAL;
}
static void shared_keys(plan *p)
{
    p->vision.layers[2].attention.cache_layer = 1;
}
static void gate(plan *p)
{
    p->vision.layers[2].attention.is_gated = true;
}
static void query(plan *p)
{
    p->vision.layers[1].attention.q.weight.rows = 15;
}
static void key_bias(plan *p)
{
    p->vision.layers[1].attention.k.bias.cols = 15;
}
static void output(plan *p)
{
    p->vision.layers[1].attention.o.weight.cols = 15;
}
static void head_norm(plan *p)
{
    p->vision.layers[0].attention.v_norm.width = 7;
}
static void mixer_in(plan *p)
{
    p->vision.layers[0].mixer_in.width = 15;
}
static void mlp_out(plan *p)
{
    p->vision.layers[0].mlp_out.width = 15;
}
static void up(plan *p)
{
    p->vision.layers[0].mlp.up.weight.cols = 15;
}
static void mlp_gate(plan *p)
{
    p->vision.layers[0].mlp.gate.weight.rows = 15;
}
static void no_mlp(plan *p)
{
    p->vision.layers[0].mlp.present = false;
}
static void sparse(plan *p)
{
    p->vision.layers[0].mlp.sparse = true;
}
static void window(plan *p)
{
    p->vision.layers[0].in_windows = true;
}
static void out_norm(plan *p)
{
    p->vision.out_norm = p->norm;
}
static void pooled_bias(plan *p)
{
    p->vision.pooling.bias = p->norm.weight;
}
static void merger_norm(plan *p)
{
    p->vision.merger.steps[0].norm.width = 15;
}
static void first(plan *p)
{
    p->vision.merger.steps[2].linear.weight.cols = 16;
}
static void second(plan *p)
{
    p->vision.merger.steps[4].linear.weight.rows = 31;
    p->vision.merger.steps[4].linear.bias.cols = 31;
}
static void second_cols(plan *p)
{
    p->vision.merger.steps[2].linear.weight.rows = 65;
}
static void no_join(plan *p)
{
    p->vision.merger.steps[1].kind = PLAN_MERGER_ACTIVATION;
}
static void only_rows(plan *p)
{
    p->vision.merger.n_steps = 1;
}
static void joined_twice(plan *p)
{
    plan_merger *m = &p->vision.merger;
    m->steps[m->n_steps++].kind = PLAN_MERGER_CONCATENATE;
}
static void merger_mlp(plan *p)
{
    p->vision.merger.steps[3] = (plan_merger_step){.kind = PLAN_MERGER_MLP};
}
/* The MLP of a layer, which has another width. */
static void merger_mlp_down(plan *p)
{
    p->vision.merger.steps[3] = (plan_merger_step){PLAN_MERGER_MLP, .mlp = p->vision.layers[0].mlp};
    p->vision.merger.steps[3].mlp.up.weight.cols = 64;
}
static void deep_layer(plan *p)
{
    p->vision.deepstack[1].tower_layer = 0;
}
static void deep_last(plan *p)
{
    p->vision.deepstack[1].tower_layer = 3;
}
static void deep_merger(plan *p)
{
    p->vision.deepstack[1].merger.steps[4].linear.weight.cols = 31;
}
static void deep_many(plan *p)
{
    p->n_layers = 1;
}

#define QWEN  "qwen3_vl/base"
#define OMNI  "qwen3_omni_moe/base"
#define GEMMA "gemma4/multimodal-old"

static const struct {
    const char *fixture;
    void (*change)(plan *p);
    const char *holds[2];
} CHANGES[] = {
    {QWEN, patch_channels, {"tower.patches: found 0 channels, 2 frames", ""}},
    {QWEN, patch_size, {"tower.patches.embed: tensor", "found shape [16, 96], expected [16, 150]"}},
    {QWEN, patch_bias, {"tower.patches.embed: tensor", "found shape [17], expected [16]"}},
    {QWEN, no_merge, {"found blocks of 0", ""}},
    {QWEN, no_pool, {"pools of 0", ""}},
    {QWEN, merge_and_pool, {"found blocks of 2 and pools of 2", "expected 1 of one of them"}},
    {QWEN, in_norm, {"tower.in_norm: tensor", "expected 16"}},
    {QWEN, table_side, {"tower.table: tensor", "expected [49, 16]"}},
    {GEMMA, table_side, {"tower.table: tensor", "found shape [48, 18], expected [14, 18]"}},
    {QWEN, rope_axes, {"tower.rope: found other axes than row and column", ""}},
    {QWEN, rope_dim, {"tower.rope: found 6 of 8 elements, expected a multiple of 4", ""}},
    {QWEN, rope_head, {"tower.layers.0.rope: found heads of 12, expected heads of 8", ""}},
    {QWEN, rope_index, {"tower.layers.1.rope: found rope 1", ""}},
    {QWEN, no_rope, {"tower.layers.0.rope: found rope 0", ""}},
    {QWEN, kv_heads, {"tower.layers.0.attention: found 2 heads and 0 key/value heads", ""}},
    {QWEN, mask, {"tower.layers.0.attention: found a mask", ""}},
    {QWEN, shared_keys, {"tower.layers.2.attention: found a mask", "shared keys"}},
    {QWEN, gate, {"tower.layers.2.attention: found a mask", "a gate"}},
    {QWEN, query, {"tower.layers.1.q: tensor", "found shape [15, 16], expected [16, 16]"}},
    {QWEN, key_bias, {"tower.layers.1.k: tensor", "found shape [15], expected [16]"}},
    {QWEN, output, {"tower.layers.1.o: tensor", "found shape [16, 15]"}},
    {GEMMA, head_norm, {"tower.layers.0.v_norm: tensor", "found width 7, expected 8"}},
    {QWEN, mixer_in, {"tower.layers.0.mixer_in: tensor", "found width 15, expected 16"}},
    {GEMMA, mlp_out, {"tower.layers.0.mlp_out: tensor", "expected 18"}},
    {QWEN, up, {"tower.layers.0.mlp.up: tensor", "found shape [22, 15]"}},
    {GEMMA, mlp_gate, {"tower.layers.0.mlp.gate: tensor", "found shape [15, 18]"}},
    {QWEN, no_mlp, {"tower.layers.0.mlp: found none", ""}},
    {QWEN, sparse, {"tower.layers.0.mlp: found no gate", ""}},
    {QWEN, window, {"tower.layers.0.window: found a side of 0", ""}},
    {QWEN, out_norm, {"tower.out_norm: tensor", "expected 16"}},
    {GEMMA, pooled_bias, {"tower.pooling.bias: tensor", "expected [18]"}},
    {QWEN, merger_norm, {"tower.merger.steps.0.norm: tensor", "found width 15, expected 16"}},
    {QWEN, first, {"tower.merger.steps.2.linear: tensor", "found shape [64, 16], expected [64, 64]"}},
    {QWEN, second, {"tower.merger.steps: found rows of 31", "expected the language model's width, 30"}},
    {QWEN, second_cols, {"tower.merger.steps.2.linear: tensor", "found shape [64], expected [65]"}},
    {QWEN, no_join, {"tower.merger.steps.2.linear: tensor", "expected [64, 16]"}},
    {QWEN, only_rows, {"tower.merger.steps: found 0 concatenations of blocks of 2", ""}},
    {QWEN, joined_twice, {"tower.merger.steps: found 2 concatenations", ""}},
    {QWEN, merger_mlp, {"tower.merger.steps.3.mlp: found none", ""}},
    {QWEN, merger_mlp_down, {"tower.merger.steps.3.mlp.down: tensor", "expected [64, 22]"}},
    {OMNI, chunk, {"audio: found 11 bins and chunks of 0 frames", ""}},
    {OMNI, convolution, {"audio.convolution: tensor", "found shape [5, 44], expected [5, 45]"}},
    {OMNI, bins, {"found rows of 10 in blocks of 1", "expected rows of audio of 15"}},
    {OMNI, period, {"table: found sinusoids of 20 elements and a period of 0", ""}},
    {QWEN, deep_layer, {"tower.deepstack.1.tower_layer: found 0", ""}},
    {QWEN, deep_last, {"tower.deepstack.1.tower_layer: found 3", ""}},
    {QWEN, deep_merger, {"tower.deepstack.1.steps.4.linear: tensor", "found shape [30, 31]"}},
    {QWEN, deep_many, {"features for 2 decoder layers, expected at most 1", ""}},
};

START_TEST(a_part_of_a_tower_that_does_not_fit_is_named)
{
    assay_error err;
    plan *p = checkpoint_open_fixture(CHANGES[_i].fixture);
    const size_t n_layers = p->n_layers;
    ck_assert_int_eq(plan_check_shapes(p, &err), ASSAY_OK);
    CHANGES[_i].change(p);
    ck_assert_int_eq(plan_check_shapes(p, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, CHANGES[_i].fixture, CHANGES[_i].holds[0], CHANGES[_i].holds[1],
                         NULL);
    p->n_layers = n_layers; /* what plan_free frees */
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/shapes_tower");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_part_of_a_tower_that_does_not_fit_is_named, 0,
                        (int)(sizeof CHANGES / sizeof *CHANGES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
