/* Qwen3-Omni: the part that reads and writes text alone or inside the whole model, the names of its tensors,
 * its audio tower, and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"
#include "model/tests/header.h"
#include "model/tests/weight.h"

static const char ALONE[] = "qwen3_omni_moe/thinker", WHOLE[] = "qwen3_omni_moe/base",
                  GROUPED[] = "qwen3_omni_moe/mlx-4bit", GROUPED_TOWERS[] = "qwen3_omni_moe/mlx-8bit";

/* Names of a checkpoint: below the language model, both towers, and that of the head. */
typedef struct spelling {
    const char *text, *vision, *audio, *head;
} spelling;

static const spelling OWN = {"model.language_model.", "model.visual.", "model.audio_tower.", "lm_head."};
static const spelling OTHERS[] = {
    {"model.", "visual.", "audio_tower.", "lm_head."},
    {"thinker.model.", "thinker.visual.", "thinker.audio_tower.", "thinker.lm_head."},
    {"thinker.language_model.model.", "thinker.vision_tower.", "thinker.audio_tower.",
     "thinker.language_model.lm_head."}};

static void respell(const char *dir, const spelling *to)
{
    header h = header_read(dir);
    header_rename(&h, OWN.vision, "<vision>");
    header_rename(&h, OWN.audio, "<audio>");
    header_rename(&h, OWN.text, "<text>");
    header_rename(&h, OWN.head, to->head);
    header_rename(&h, "<vision>", to->vision);
    header_rename(&h, "<audio>", to->audio);
    header_rename(&h, "<text>", to->text);
    header_write(&h);
    header_free(&h);
}

START_TEST(names_of_every_spelling_give_the_same_plan)
{
    plan *expected = checkpoint_open(checkpoint_changed(ALONE, NULL, NULL));
    const char *dir = checkpoint_changed(ALONE, NULL, NULL);
    respell(dir, &OTHERS[_i]);
    plan *p = checkpoint_open(dir);
    ck_assert_uint_eq(p->n_parameters, expected->n_parameters);
    ck_assert(p->vision.present && p->audio.present && p->vision.n_deepstack == expected->vision.n_deepstack);
    plan_free(p);
    plan_free(expected);
}
END_TEST

/* The config of the part, as a member of that of the whole. */
START_TEST(the_whole_models_config_gives_the_same_plan)
{
    char path[4096];
    json_object *part = NULL, *whole = json_object_new_object();
    plan *expected = checkpoint_open(checkpoint_changed(ALONE, NULL, NULL));
    const char *dir = checkpoint_changed(ALONE, NULL, NULL);
    (void)snprintf(path, sizeof path, "%s/config.json", dir);
    ck_assert_int_eq(json_read(path, &part, NULL), ASSAY_OK);
    json_object_object_add(whole, "thinker_config", part);
    json_object_object_add(whole, "model_type", json_object_new_string("qwen3_omni_moe"));
    json_object_object_add(whole, "talker_config", json_object_new_object());
    const char *text = json_object_to_json_string(whole);
    (void)support_write(dir, "config.json", text, strlen(text));
    json_object_put(whole);
    plan *p = checkpoint_open(dir);
    ck_assert_str_eq(p->model_type, "qwen3_omni_moe");
    ck_assert_uint_eq(p->n_parameters, expected->n_parameters);
    ck_assert_int_eq(p->audio.audio_token, expected->audio.audio_token);
    plan_free(p);
    plan_free(expected);
}
END_TEST

START_TEST(audio_clips_are_read_in_chunks_and_attend_within_windows_of_chunks)
{
    plan *p = checkpoint_open_fixture(WHOLE);
    const plan_tower *t = &p->audio;
    ck_assert(t->present && t->kind == PLAN_TOWER_AUDIO && p->vision.kind == PLAN_TOWER_PATCHES);
    ck_assert_uint_eq(t->audio.n_bins, 11);
    ck_assert_uint_eq(t->audio.chunk, 100);
    ck_assert_uint_eq(t->table.period, 13);
    ck_assert_uint_eq(t->window, 13);
    ck_assert_uint_eq(plan_patches_width(&t->patches), 2 * 5);
    ck_assert_int_eq(t->audio_token, 90);
    ck_assert(!t->has_rope && t->layers[1].in_windows && t->layers[1].attention.rope == PLAN_NONE);
    ck_assert(t->layers[0].mixer_in.kind == PLAN_LAYER_NORM && t->layers[0].mixer_in.epsilon == 1e-5);
    ck_assert(t->out_norm.present && t->merger.n_steps == 3);
    plan_free(p);
}
END_TEST

START_TEST(videos_last_as_long_as_their_seconds_say)
{
    plan *p = checkpoint_open_fixture("qwen3_omni_moe/seconds");
    ck_assert_int_eq(p->vision.video_token, 50);
    ck_assert(p->vision.spans_time && !p->vision.frames_apart);
    ck_assert_double_eq(p->vision.tokens_per_second, 3);
    plan_free(p);
    p = checkpoint_open(checkpoint_changed(ALONE, "position_id_per_seconds", NULL));
    ck_assert_double_eq(p->vision.tokens_per_second, 25);
    plan_free(p);
}
END_TEST

START_TEST(windows_are_whole_chunks)
{
    plan *p = checkpoint_open_fixture("qwen3_omni_moe/windows"); /* 250 of 102 frames */
    ck_assert_uint_eq(p->audio.audio.chunk, 102);
    ck_assert_uint_eq(p->audio.window, 26);
    plan_free(p);
}
END_TEST

START_TEST(convolutions_may_have_their_channels_last)
{
    const char *dir = checkpoint_changed(ALONE, NULL, NULL);
    header h = header_read(dir);
    header_reshape(&h, "model.audio_tower.conv2d1.weight", "[5, 3, 3, 1]");
    header_reshape(&h, "model.audio_tower.conv2d2.weight", "[5, 3, 3, 5]");
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    ck_assert(p->audio.audio.convolutions[0].channels_last);
    ck_assert(p->audio.audio.convolutions[1].channels_last);
    ck_assert(!p->audio.audio.convolutions[2].channels_last);
    plan_free(p);
}
END_TEST

START_TEST(the_parts_that_speak_are_passed_over)
{
    const char *dir = checkpoint_changed(WHOLE, NULL, NULL);
    plan *expected = checkpoint_open_fixture(WHOLE);
    header h = header_read(dir);
    json_object *tensor = json_object_new_object(), *offsets = json_object_new_array();
    json_object_array_add(offsets, json_object_new_int64((int64_t)h.n_data));
    json_object_array_add(offsets, json_object_new_int64((int64_t)h.n_data + 4));
    json_object_object_add(tensor, "dtype", json_object_new_string("F32"));
    json_object_object_add(tensor, "shape", json_tokener_parse("[1]"));
    json_object_object_add(tensor, "data_offsets", offsets);
    json_object_object_add(h.object, "talker.codec_head.weight", tensor);
    h.data = realloc(h.data, h.n_data + 4);
    ck_assert_ptr_nonnull(h.data);
    memset(h.data + h.n_data, 0, 4);
    h.n_data += 4;
    header_write(&h);
    header_free(&h);
    plan *p = checkpoint_open(dir);
    ck_assert_uint_eq(p->n_parameters, expected->n_parameters);
    ck_assert_uint_eq(p->n_ignored, 1);
    plan_free(p);
    plan_free(expected);
}
END_TEST

static const struct {
    const char *member, *value;
    assay_status status;
    const char *texts[2];
} REFUSED[] = {
    {"audio_config", "null", ASSAY_EFORMAT, {"audio_config: missing", "expected an object"}},
    {"audio_config.model_type",
     "\"whisper\"",
     ASSAY_EUNSUPPORTED,
     {"audio_config.model_type", "\"whisper\""}},
    {"audio_config.new_member", "1", ASSAY_EUNSUPPORTED, {"audio_config.new_member", ""}},
    {"audio_config.encoder_layers", "100000", ASSAY_EFORMAT, {"encoder_layers: found 100000", "tensors"}},
    {"audio_config.encoder_layers", "2", ASSAY_EFORMAT, {"layers.1.", "missing"}},
    {"audio_config.encoder_attention_heads", "3", ASSAY_EFORMAT, {"found 3", "a divisor of d_model, 20"}},
    {"audio_config.d_model", "19", ASSAY_EUNSUPPORTED, {"d_model: found 19", "an even number"}},
    {"audio_config.num_hidden_layers",
     "7",
     ASSAY_EUNSUPPORTED,
     {"num_hidden_layers: found 7", "encoder_layers"}},
    {"audio_config.n_window",
     "48",
     ASSAY_EUNSUPPORTED,
     {"n_window: found 48", "12 rows a chunk, expected 13"}},
    {"audio_config.n_window_infer", "99", ASSAY_EUNSUPPORTED, {"n_window_infer: found 99", "a chunk, 100"}},
    {"audio_config.max_source_positions",
     "12",
     ASSAY_EUNSUPPORTED,
     {"max_source_positions: found 12", "at least 13"}},
    {"audio_config.output_dim", "31", ASSAY_EFORMAT, {"output_dim: found 31", "hidden_size, 30"}},
    {"audio_config.num_mel_bins", "17", ASSAY_EFORMAT, {"conv_out.weight", "expected [20, 15]"}},
    {"audio_config.downsample_hidden_size", "6", ASSAY_EFORMAT, {"conv2d1.weight", "[6, 1, 3, 3]"}},
    {"audio_config.activation_function", "\"mish\"", ASSAY_EUNSUPPORTED, {"activation_function", "\"mish\""}},
    {"audio_token_id", "53", ASSAY_EFORMAT, {"audio_token_id: found 53", "vocab_size (53)"}},
    {"audio_token_id", "49", ASSAY_EUNSUPPORTED, {"audio_token_id: found 49", "another than image_token_id"}},
    {"audio_token_id", "50", ASSAY_EUNSUPPORTED, {"audio_token_id: found 50", "and video_token_id"}},
    {"video_token_id", "49", ASSAY_EUNSUPPORTED, {"video_token_id: found 49", "another than image_token_id"}},
    {"position_id_per_seconds", "0", ASSAY_EFORMAT, {"position_id_per_seconds: found 0", ""}},
    {"text_config.norm_topk_prob",
     NULL,
     ASSAY_EFORMAT,
     {"norm_topk_prob: missing", "expected true or false"}},
    {"text_config.rope_parameters.interleaved",
     "false",
     ASSAY_EUNSUPPORTED,
     {"interleaved: found false", "expected true"}},
    {"vision_config.model_type", "\"qwen3_vl\"", ASSAY_EUNSUPPORTED, {"qwen3_omni_moe_vision_encoder", ""}},
};

START_TEST(a_config_that_does_not_fit_is_refused)
{
    checkpoint_expect_refusal(ALONE, REFUSED[_i].member, REFUSED[_i].value, REFUSED[_i].status,
                              REFUSED[_i].texts[0], REFUSED[_i].texts[1]);
}
END_TEST

START_TEST(the_whole_model_has_its_part)
{
    plan *p = NULL;
    assay_error err;
    ck_assert_int_eq(plan_open(checkpoint_changed(WHOLE, "thinker_config", NULL), &p, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "thinker_config: missing", "expected an object", NULL);
    ck_assert_int_eq(plan_open(checkpoint_changed(WHOLE, "thinker_config.model_type", "\"qwen3\""), &p, &err),
                     ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "thinker_config.model_type: found \"qwen3\"", NULL);
}
END_TEST

static void expect_groups(const plan_weight *w, size_t bits, size_t group)
{
    const affine a = weight_affine(w);
    ck_assert_msg(a.bits == bits && a.group == group, "%s: %zu bits in groups of %zu", w->name, a.bits,
                  a.group);
}

START_TEST(the_whole_models_groups_are_those_of_its_part)
{
    plan *p = checkpoint_open_fixture(GROUPED);
    const plan_experts *x = &p->layers[1].experts;
    expect_groups(&p->embedding, 4, 32);
    expect_groups(&p->head, 4, 32);
    expect_groups(&x->router, 8, 64);
    expect_groups(&x->down[x->n_experts - 1], 4, 32);
    expect_groups(&p->vision.layers[0].attention.q.weight, 0, 0);
    expect_groups(&p->audio.layers[0].attention.q.weight, 0, 0);
    plan_free(p);
}
END_TEST

START_TEST(towers_may_be_in_groups)
{
    plan *p = checkpoint_open_fixture(GROUPED_TOWERS);
    const plan_tower *t = &p->vision, *s = &p->audio;
    expect_groups(&t->layers[0].attention.q.weight, 4, 32);
    expect_groups(&t->layers[0].attention.o.weight, 8, 32);
    expect_groups(&t->layers[0].mlp.down.weight, 0, 0); /* rows of 40 */
    expect_groups(&t->table.weight, 0, 0);
    expect_groups(&t->deepstack[0].merger.steps[t->deepstack[0].merger.n_steps - 1].linear.weight, 8, 32);
    expect_groups(&s->patches.embed.weight, 8, 32); /* the product after the convolutions */
    expect_groups(&s->layers[0].attention.v.weight, 4, 32);
    expect_groups(&s->layers[0].attention.k.weight, 8, 32);
    expect_groups(&s->layers[0].mlp.down.weight, 0, 0);
    expect_groups(&s->merger.steps[s->merger.n_steps - 1].linear.weight, 8, 32);
    plan_free(p);
}
END_TEST

START_TEST(groups_are_stated_once_around_the_part)
{
    static const char SAME[] = "{\"group_size\": 32, \"bits\": 4}";
    plan *p = NULL;
    assay_error err;
    plan_free(checkpoint_open(checkpoint_changed(GROUPED, "quantization_config", NULL)));
    checkpoint_expect_refusal(GROUPED, "thinker_config.quantization", SAME, ASSAY_EUNSUPPORTED,
                              "thinker_config.quantization: found {", "does not implement");
    checkpoint_expect_refusal(GROUPED, "thinker_config.text_config.quantization_config", SAME,
                              ASSAY_EUNSUPPORTED, "text_config.quantization_config: found {",
                              "does not implement");
    const char *dir = checkpoint_changed_without(GROUPED, "quantization", NULL, "quantization_config");
    ck_assert_int_eq(plan_open(dir, &p, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "embed_tokens.weight", "found type U32", NULL);
}
END_TEST

/* mlx-vlm's converter adds it to a document that has none. */
START_TEST(a_tower_around_the_part_is_refused_unless_it_is_empty)
{
    plan_free(checkpoint_open(checkpoint_changed(WHOLE, "vision_config", "{}")));
    checkpoint_expect_refusal(WHOLE, "vision_config", "{\"depth\": 2}", ASSAY_EUNSUPPORTED, "vision_config",
                              "not understood");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/families/omni");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, names_of_every_spelling_give_the_same_plan, 0,
                        (int)(sizeof OTHERS / sizeof *OTHERS));
    tcase_add_test(all, the_whole_models_config_gives_the_same_plan);
    tcase_add_test(all, audio_clips_are_read_in_chunks_and_attend_within_windows_of_chunks);
    tcase_add_test(all, videos_last_as_long_as_their_seconds_say);
    tcase_add_test(all, windows_are_whole_chunks);
    tcase_add_test(all, convolutions_may_have_their_channels_last);
    tcase_add_test(all, the_parts_that_speak_are_passed_over);
    tcase_add_loop_test(all, a_config_that_does_not_fit_is_refused, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, the_whole_model_has_its_part);
    tcase_add_test(all, the_whole_models_groups_are_those_of_its_part);
    tcase_add_test(all, towers_may_be_in_groups);
    tcase_add_test(all, groups_are_stated_once_around_the_part);
    tcase_add_test(all, a_tower_around_the_part_is_refused_unless_it_is_empty);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
