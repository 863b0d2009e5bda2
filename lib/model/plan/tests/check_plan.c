/* What the plans of the bundled checkpoints resolve.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/plan/print.h"
#include "model/tests/checkpoint.h"

START_TEST(llama_is_plain)
{
    plan *p = checkpoint_open_fixture("llama/base");
    const plan_attention *a = &p->layers[1].mixer.attention;
    ck_assert_uint_eq(p->n_ropes, 1);
    ck_assert_uint_eq(a->window, 0);
    ck_assert_uint_eq(a->cache_layer, 1);
    ck_assert(a->k.weight.data && !a->k.bias.data && !a->q_norm.present);
    ck_assert(!p->layers[1].mixer_out.present && !p->layers[1].experts.present);
    ck_assert(p->soft_cap == 0 && p->embedding_scale == 1);
    plan_free(p);
}
END_TEST

START_TEST(gemma4_layers_share_the_last_producer_of_their_type)
{
    plan *p = checkpoint_open_fixture("gemma4/multimodal"); /* s s f | s s f, the last three share */
    static const size_t PRODUCER[] = {0, 1, 2, 1, 1, 2};
    ck_assert_uint_eq(p->n_layers, 6);
    for (size_t i = 0; i < 6; i++) {
        const plan_attention *a = &p->layers[i].mixer.attention;
        ck_assert_uint_eq(a->cache_layer, PRODUCER[i]);
        ck_assert_uint_eq(a->window, i % 3 == 2 ? 0 : 6);
        ck_assert_uint_eq(a->head_dim, i % 3 == 2 ? 16 : 10);
        ck_assert_int_eq(a->k.weight.data != NULL, i < 3);
        ck_assert_uint_eq(p->layers[i].mlp.intermediate, i < 3 ? 35 : 70);
        ck_assert(a->scale == 1 && a->v_norm.present == (i < 3) && !a->v_norm.weight.data);
        ck_assert_int_eq(p->ropes[a->rope].type, i % 3 == 2 ? ROPE_PROPORTIONAL : ROPE_DEFAULT);
    }
    ck_assert(p->tied && p->head.data == p->embedding.data);
    plan_free(p);
}
END_TEST

START_TEST(gemma4_full_layers_use_the_key_as_the_value)
{
    plan *p = checkpoint_open_fixture("gemma4/k-eq-v");
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_attention *a = &p->layers[i].mixer.attention;
        if (a->cache_layer != i) continue;
        ck_assert_int_eq(a->value_is_key, a->window == 0);
        ck_assert_int_eq(a->v.weight.data != NULL, a->window != 0);
    }
    plan_free(p);
}
END_TEST

/* In sliding layers alone, and of images and videos, not of audio. A text checkpoint has no such tokens. */
START_TEST(gemma4_image_and_video_tokens_are_blocks_if_the_config_says_so)
{
    static const char *const CAUSAL[] = {"gemma4/placeholders", "gemma4/last-slides"};
    plan *p = checkpoint_open_fixture("gemma4/blocks");
    ck_assert_uint_eq(p->blocks.n, 2);
    ck_assert(p->blocks.id[0] == 3 && p->blocks.id[1] == 12);
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_attention *a = &p->layers[i].mixer.attention;
        ck_assert_int_eq(a->mask, a->window ? PLAN_MASK_BLOCKS : PLAN_MASK_CAUSAL);
    }
    plan_free(p);
    for (size_t k = 0; k < 2; k++) {
        p = checkpoint_open_fixture(CAUSAL[k]);
        ck_assert_uint_eq(p->blocks.n, 0);
        for (size_t i = 0; i < p->n_layers; i++)
            ck_assert_int_eq(p->layers[i].mixer.attention.mask, PLAN_MASK_CAUSAL);
        plan_free(p);
    }
    p = checkpoint_open(checkpoint_changed("gemma4/blocks", "video_token_id", "null"));
    ck_assert(p->blocks.n == 1 && p->blocks.id[0] == 3);
    plan_free(p);
}
END_TEST

START_TEST(gemma4_without_ropes_uses_the_published_ones)
{
    plan *p = checkpoint_open(checkpoint_changed("gemma4/dense", "rope_parameters", NULL));
    const rope *full = &p->ropes[0], *sliding = &p->ropes[1];
    ck_assert_uint_eq(p->n_ropes, 2);
    ck_assert(full->type == ROPE_PROPORTIONAL && full->theta == 1e6 && full->n_angles == full->head_dim / 8);
    ck_assert(sliding->type == ROPE_DEFAULT && sliding->theta == 1e4);
    plan_free(p);
}
END_TEST

START_TEST(defaults_are_those_of_each_published_class)
{
    plan *p = checkpoint_open(checkpoint_changed("phi3/base", "rms_norm_eps", NULL));
    ck_assert(p->layers[0].mixer_in.epsilon == 1e-5);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("llama/base", "rms_norm_eps", NULL));
    ck_assert(p->layers[0].mixer_in.epsilon == 1e-6);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("qwen2/window-old", "sliding_window", NULL));
    ck_assert_uint_eq(p->layers[p->n_layers - 1].mixer.attention.window, 4096);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("qwen3_moe/window", "sliding_window", NULL));
    ck_assert_uint_eq(p->layers[0].mixer.attention.window, 4096);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma3n/text", "final_logit_softcapping", NULL));
    ck_assert(p->soft_cap == 30);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma3n/text", "final_logit_softcapping", "null"));
    ck_assert(p->soft_cap == 0);
    plan_free(p);
}
END_TEST

START_TEST(both_expert_layouts_are_bound)
{
    plan *each = checkpoint_open_fixture("qwen3_moe/base"),
         *fused = checkpoint_open_fixture("qwen3_moe/fused");
    const plan_experts *a = &each->layers[0].experts, *b = &fused->layers[0].experts;
    ck_assert(a->present && b->present && !each->layers[0].mlp.present);
    ck_assert_str_ne(a->gate[0].name, a->gate[1].name);
    ck_assert_str_eq(b->gate[0].name, b->up[1].name);
    ck_assert_uint_eq(b->gate[0].rows, b->intermediate);
    plan_free(each);
    plan_free(fused);
}
END_TEST

START_TEST(unused_towers_are_counted)
{
    plan *p = checkpoint_open_fixture("gemma4/multimodal-old");
    ck_assert_uint_gt(p->n_ignored, 0);
    plan_free(p);
}
END_TEST

START_TEST(members_around_a_text_config_have_their_own_defaults)
{
    plan *p = checkpoint_open_fixture("gemma4/multimodal-unstated");
    ck_assert(p->tied); /* text_config says false */
    ck_assert_uint_eq(p->placeholders.n, 3);
    ck_assert_int_eq(p->placeholders.id[0], 258880);
    ck_assert_int_eq(p->placeholders.id[1], 258881);
    ck_assert_int_eq(p->placeholders.id[2], 258884);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed("gemma4/multimodal-unstated", "image_token_id", "null"));
    ck_assert_uint_eq(p->placeholders.n, 2);
    plan_free(p);
}
END_TEST

START_TEST(a_stored_head_is_not_tied_by_default_if_text_config_says_so)
{
    plan *p = checkpoint_open(
        checkpoint_changed_without("gemma4/multimodal-untied", NULL, NULL, "tie_word_embeddings"));
    ck_assert(!p->tied);
    plan_free(p);
}
END_TEST

START_TEST(the_plan_prints_the_facts_of_a_model_card)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    plan *p = checkpoint_open_fixture("gemma4/multimodal");
    plan *blocks = checkpoint_open_fixture("gemma4/blocks");
    plan_print(p, NULL, out);
    plan_print(blocks, NULL, out);
    (void)fclose(out);
    static const char *const EXPECTED[] = {
        "vocabulary   105",
        "hidden       26",
        "placeholder  258880, embedded as 0",
        "rope 0       proportional, theta 1e+06, 16 of 16 elements, 2 pairs turn",
        "layer 02     attention 4/2 heads of 16, scale 1, full, rope 0",
        "layer 03     attention 4/2 heads of 10, scale 1, window 6, rope 1, keys and values of layer 01",
        "mlp 70, gelu_pytorch_tanh",
        "block token  12\n",
        "scale 1, window 6, later tokens of a block, rope 1\n",
        "scale 1, full, rope 0\n"};
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++)
        ck_assert_msg(strstr(text, EXPECTED[i]) != NULL, "no \"%s\" in:\n%s", EXPECTED[i], text);
    plan_free(p);
    plan_free(blocks);
    free(text);
}
END_TEST

START_TEST(the_plan_prints_layer_norms_and_sections)
{
    plan *p = checkpoint_open_fixture("qwen2/base");
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    ck_assert_ptr_nonnull(out);
    p->layers[0].mixer_in.kind = p->norm.kind = PLAN_LAYER_NORM;
    p->layers[0].mixer_in.bias = p->norm.weight;
    p->ropes[0].sections = ROPE_SECTIONS_INTERLEAVED;
    p->ropes[0].section[0] = 2;
    p->ropes[0].section[1] = p->ropes[0].section[2] = 1;
    plan_print(p, NULL, out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(strstr(text, " mixer_in (LayerNorm, bias) mlp_in, epsilon") != NULL, "%s", text);
    ck_assert_msg(strstr(text, ", final LayerNorm\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "sections 2, 1, 1 interleaved\n") != NULL, "%s", text);
    plan_free(p);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/plan");
    TCase *all = tcase_create("resolved");
    tcase_add_test(all, llama_is_plain);
    tcase_add_test(all, gemma4_layers_share_the_last_producer_of_their_type);
    tcase_add_test(all, gemma4_full_layers_use_the_key_as_the_value);
    tcase_add_test(all, gemma4_image_and_video_tokens_are_blocks_if_the_config_says_so);
    tcase_add_test(all, gemma4_without_ropes_uses_the_published_ones);
    tcase_add_test(all, defaults_are_those_of_each_published_class);
    tcase_add_test(all, both_expert_layouts_are_bound);
    tcase_add_test(all, unused_towers_are_counted);
    tcase_add_test(all, members_around_a_text_config_have_their_own_defaults);
    tcase_add_test(all, a_stored_head_is_not_tied_by_default_if_text_config_says_so);
    tcase_add_test(all, the_plan_prints_the_facts_of_a_model_card);
    tcase_add_test(all, the_plan_prints_layer_norms_and_sections);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
