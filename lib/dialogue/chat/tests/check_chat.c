/* Tests of dialogue/chat: which file holds the template, what it sees, and the placeholders of images and
 * audio clips.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/chat.h"

#include <string.h>

#include "base/tests/support.h"
#include "dialogue/chat/placeholder.h"
#include "dialogue/table.h"
#include "gguf/tests/vocabularies.h"

static const char *checkpoint(const char *name)
{
    return support_mkdir(support_tmpdir(), name);
}

static void put(const char *dir, const char *file, const char *text)
{
    (void)support_write(dir, file, text, strlen(text));
}

/* Expects a template with this place and text. */
static void expect_source(const char *dir, bool has_tools, const char *place, const char *text)
{
    serve_chat_source s;
    assay_error err = {0};
    ck_assert_msg(serve_chat_source_find(dir, has_tools, &s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_ptr_nonnull(s.place);
    ck_assert_str_eq(s.place, place);
    ck_assert_uint_eq(s.n, strlen(text));
    ck_assert_mem_eq(s.text, text, s.n);
    serve_chat_source_free(&s);
}

START_TEST(a_checkpoint_without_a_processor_takes_the_file_then_the_tokenizers_member)
{
    const char *dir = checkpoint("text");
    serve_chat_source s;
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, NULL), ASSAY_OK);
    ck_assert_ptr_null(s.place);
    put(dir, "chat_template.json", "{\"chat_template\":\"of a processor\"}");
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, NULL), ASSAY_OK);
    ck_assert_ptr_null(s.place);
    put(dir, "tokenizer_config.json", "{\"chat_template\":\"a\\u0000b\"}");
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, NULL), ASSAY_OK);
    ck_assert_uint_eq(s.n, 3);
    serve_chat_source_free(&s);
    put(dir, "tokenizer_config.json", "{\"chat_template\":\"member\"}");
    expect_source(dir, false, "tokenizer_config.json: chat_template", "member");
    put(dir, "chat_template.jinja", "file");
    expect_source(dir, false, "chat_template.jinja", "file");
}
END_TEST

START_TEST(a_checkpoint_with_a_processor_takes_the_processors_templates_first)
{
    const char *dir = checkpoint("processor");
    put(dir, "preprocessor_config.json", "{}");
    put(dir, "tokenizer_config.json", "{\"chat_template\":\"tokenizer\"}");
    expect_source(dir, false, "tokenizer_config.json: chat_template", "tokenizer");
    put(dir, "chat_template.jinja", "file");
    expect_source(dir, false, "chat_template.jinja", "file");
    put(dir, "chat_template.json", "{\"chat_template\":\"json\"}");
    expect_source(dir, false, "chat_template.json: chat_template", "json");
    put(dir, "processor_config.json", "{\"chat_template\":null}");
    expect_source(dir, false, "chat_template.json: chat_template", "json");
    put(dir, "processor_config.json", "{\"chat_template\":\"config\"}");
    expect_source(dir, false, "processor_config.json: chat_template", "config");
}
END_TEST

START_TEST(tools_choose_a_named_template_of_a_tokenizer)
{
    const char *dir = checkpoint("named");
    put(dir, "tokenizer_config.json",
        "{\"chat_template\":[{\"name\":\"default\",\"template\":\"d\"},{\"name\":\"tool_use\",\"template\":"
        "\"t\"}]}");
    expect_source(dir, false, "tokenizer_config.json: chat_template default", "d");
    expect_source(dir, true, "tokenizer_config.json: chat_template tool_use", "t");
    put(dir, "preprocessor_config.json", "{}");
    expect_source(dir, true, "tokenizer_config.json: chat_template default", "d");
    dir = checkpoint("files");
    put(dir, "chat_template.jinja", "d");
    put(support_mkdir(dir, "additional_chat_templates"), "tool_use.jinja", "t");
    expect_source(dir, false, "chat_template.jinja", "d");
    expect_source(dir, true, "additional_chat_templates/tool_use.jinja", "t");
}
END_TEST

START_TEST(a_gguf_file_has_the_templates_of_its_metadata)
{
    const char *file = vocabulary_scores(NULL);
    expect_source(file, false, "tokenizer_config.json: chat_template default", "d");
    expect_source(file, true, "tokenizer_config.json: chat_template tool_use", "t");
    expect_source(vocabulary_bytes("gpt-2", NULL), false, "tokenizer_config.json: chat_template", "{{ x }}");
    serve_chat_source s;
    ck_assert_int_eq(serve_chat_source_find(vocabulary_none(), false, &s, NULL), ASSAY_OK);
    ck_assert_ptr_null(s.place);
}
END_TEST

START_TEST(a_template_that_is_no_text_is_refused)
{
    static const char *const bad[][2] = {{"{\"chat_template\":7}", "found 7, expected a string"},
                                         {"{\"chat_template\":[]}", "found no template \"default\""},
                                         {"{\"chat_template\":[{\"name\":\"default\",\"template\":{}}]}",
                                          "expected objects with a name and a template"},
                                         {"[]", "expected a JSON object"},
                                         {"{", ""}};
    const char *dir = checkpoint("bad");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        serve_chat_source s;
        assay_error err = {0};
        put(dir, "tokenizer_config.json", bad[i][0]);
        ck_assert_int_ne(serve_chat_source_find(dir, false, &s, &err), ASSAY_OK);
        support_expect_error(&err, ASSAY_EFORMAT, dir, "/tokenizer_config.json", bad[i][1], NULL);
    }
}
END_TEST

/* Renders the template of a checkpoint for a prompt "hi", and expects this text. */
static bool expect_rendered(const char *dir, const serve_chat_request *request, const char *text)
{
    serve_chat_source s;
    assay_error err = {0};
    buffer out = {0};
    bool add_special = false;
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, &err), ASSAY_OK);
    assay_status rc = serve_chat_render(assay_serving_v2(), dir, &s, request, &out, &add_special, &err);
    ck_assert_msg(rc == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(out.n, strlen(text));
    ck_assert_mem_eq(out.data, text, out.n);
    buffer_free(&out);
    serve_chat_source_free(&s);
    return add_special;
}

static const assay_text hi = {"hi", 2};

START_TEST(a_template_sees_the_message_the_tokens_and_the_switches)
{
    const char *dir = checkpoint("variables");
    put(dir, "tokenizer_config.json",
        "{\"bos_token\":{\"content\":\"<b>\"},\"eos_token\":\"<e>\",\"image_token\":\"<i>\",\"added_tokens_"
        "decoder\":{}}");
    put(dir, "special_tokens_map.json", "{\"eos_token\":\"<other>\"}");
    put(dir, "chat_template.jinja",
        "{{ bos_token }}{{ eos_token }}|{{ messages|length }}{{ messages[-1].role }}{{ messages[-1].content "
        "}}|"
        "{{ add_generation_prompt }}|{{ tools is none }}|{{ documents is none }}|{{ enable_thinking is "
        "defined }}|"
        "{{ image_token is defined }}");
    serve_chat_request request = {.prompt = hi};
    ck_assert(!expect_rendered(dir, &request, "<b><e>|1userhi|True|True|True|False|False"));
    put(dir, "chat_template.jinja",
        "{{ enable_thinking }}{{ messages[0].role }}{{ messages[0].content }}{% for p in messages[1].content "
        "%}"
        "{{ p.type }}{{ p.text if p.text is defined }}{% endfor %}{{ strftime_now('%Y') }}");
    request.system = (assay_text){"s", 1};
    request.n_images = 2;
    request.thinking_off = true;
    request.now = 86400 * 366;
    (void)expect_rendered(dir, &request, "Falsesystemsimageimagetexthi1971");
    request.n_images = 1;
    request.n_audios = 2;
    (void)expect_rendered(dir, &request, "Falsesystemsimageaudioaudiotexthi1971");
}
END_TEST

START_TEST(invalid_utf8_becomes_a_replacement_character)
{
    const char *dir = checkpoint("utf8");
    put(dir, "chat_template.jinja", "{{ messages[0].content }}.");
    serve_chat_request request = {.prompt = {"a\xff"
                                             "b\xe2\x82",
                                             5}};
    (void)expect_rendered(dir, &request,
                          "a\xef\xbf\xbd"
                          "b\xef\xbf\xbd.");
    request.prompt = (assay_text){"", 0};
    (void)expect_rendered(dir, &request, ".");
}
END_TEST

START_TEST(without_a_list_of_added_tokens_special_tokens_map_overrides)
{
    const char *dir = checkpoint("map");
    put(dir, "tokenizer_config.json", "{\"bos_token\":\"<b>\",\"eos_token\":\"<e>\"}");
    put(dir, "special_tokens_map.json", "{\"eos_token\":{\"content\":\"<m>\"}}");
    put(dir, "chat_template.jinja", "{{ bos_token }}{{ eos_token }}");
    const serve_chat_request request = {.prompt = hi};
    (void)expect_rendered(dir, &request, "<b><m>");
}
END_TEST

START_TEST(a_processor_adds_special_tokens_unless_the_prompt_begins_with_bos)
{
    const char *dir = checkpoint("bos");
    const serve_chat_request request = {.prompt = hi};
    put(dir, "tokenizer_config.json", "{\"bos_token\":\"<b>\"}");
    put(dir, "chat_template.jinja", "x");
    ck_assert(!expect_rendered(dir, &request, "x"));
    put(dir, "preprocessor_config.json", "{}");
    ck_assert(expect_rendered(dir, &request, "x"));
    put(dir, "chat_template.jinja", "<b>x");
    ck_assert(!expect_rendered(dir, &request, "<b>x"));
}
END_TEST

START_TEST(a_template_that_fails_is_named)
{
    const char *dir = checkpoint("raises");
    serve_chat_source s;
    assay_error err = {0};
    buffer out = {0};
    bool add_special;
    const serve_chat_request request = {.prompt = hi};
    put(dir, "tokenizer_config.json", "{\"chat_template\":\"{{ raise_exception('no') }}\"}");
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, &err), ASSAY_OK);
    ck_assert_int_ne(serve_chat_render(assay_serving_v2(), dir, &s, &request, &out, &add_special, &err),
                     ASSAY_OK);
    support_expect_error(&err, ASSAY_EFORMAT, dir, "/tokenizer_config.json: chat_template: no", NULL);
    ck_assert_uint_eq(out.n, 0);
    buffer_free(&out);
    serve_chat_source_free(&s);
}
END_TEST

static void expect_placeholder(const char *dir, const char *image_processor, const char *token,
                               const char *expanded)
{
    static const size_t n_tokens[] = {2, 1};
    serve_placeholder p;
    assay_error err = {0};
    buffer out = {0};
    char text[64];
    ck_assert_msg(serve_placeholder_find(dir, image_processor, &p, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(p.token, token);
    (void)snprintf(text, sizeof text, "a%sb%s", token, token);
    ck_assert_int_eq(
        serve_placeholder_expand(&p, "it", (assay_text){text, strlen(text)}, n_tokens, 2, &out, &err),
        ASSAY_OK);
    ck_assert_uint_eq(out.n, strlen(expanded));
    ck_assert_mem_eq(out.data, expanded, out.n);
    ck_assert_int_eq(
        serve_placeholder_expand(&p, "it", (assay_text){text, strlen(text)}, n_tokens, 1, &out, &err),
        ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "it has 2 placeholders", token, "expected 1", NULL);
    buffer_free(&out);
    serve_placeholder_free(&p);
}

START_TEST(placeholders_become_the_tokens_of_their_images)
{
    const char *dir = checkpoint("qwen");
    expect_placeholder(dir, "Qwen2VLImageProcessor", "<|image_pad|>",
                       "a<|image_pad|><|image_pad|>b<|image_pad|>");
    put(dir, "tokenizer_config.json", "{\"extra_special_tokens\":{\"image_token\":\"<p>\"}}");
    expect_placeholder(dir, "Qwen2VLImageProcessor", "<p>", "a<p><p>b<p>");
    dir = checkpoint("paddleocr");
    put(dir, "processor_config.json", "{\"processor_class\":\"PaddleOCRVLProcessor\"}");
    expect_placeholder(dir, "PaddleOCRVLImageProcessor", "<|IMAGE_PLACEHOLDER|>",
                       "a<|IMAGE_PLACEHOLDER|><|IMAGE_PLACEHOLDER|>b<|IMAGE_PLACEHOLDER|>");
    dir = checkpoint("glm");
    put(dir, "tokenizer_config.json", "{\"processor_class\":\"Glm4vProcessor\"}");
    expect_placeholder(dir, "Glm4vImageProcessor", "<|image|>", "a<|image|><|image|>b<|image|>");
    put(dir, "tokenizer_config.json", "{\"processor_class\":\"Glm46VProcessor\"}");
    expect_placeholder(dir, "Glm46VImageProcessor", "<|image|>", "a<|image|><|image|>b<|image|>");
    dir = checkpoint("ernie");
    put(dir, "tokenizer_config.json",
        "{\"image_token\":\"<i>\",\"image_start_token\":\"<s>\",\"image_end_token\":\"<e>\"}");
    expect_placeholder(dir, "Ernie4_5_VLMoeImageProcessor", "<i>", "a<i><i>b<i>");
    dir = checkpoint("hunyuan");
    put(dir, "tokenizer_config.json",
        "{\"image_token\":\"<i>\",\"image_start_token\":\"<s>\",\"image_end_token\":\"<e>\"}");
    expect_placeholder(dir, "HunYuanVLImageProcessor", "<i>", "a<i><i>b<i>");
    dir = checkpoint("mllama");
    put(dir, "tokenizer_config.json", "{\"processor_class\":\"MllamaProcessor\"}");
    expect_placeholder(dir, "MllamaImageProcessor", "<|image|>", "a<|image|><|image|>b<|image|>");
    dir = checkpoint("gemma3n");
    put(dir, "tokenizer_config.json",
        "{\"image_token\":\"<i>\",\"boi_token\":\"<s>\",\"eoi_token\":\"<e>\"}");
    put(dir, "processor_config.json", "{\"processor_class\":\"Gemma3nProcessor\"}");
    expect_placeholder(dir, "SiglipImageProcessor", "<i>", "a\n\n<s><i><i><e>\n\nb\n\n<s><i><e>\n\n");
    dir = checkpoint("gemma");
    put(dir, "tokenizer_config.json",
        "{\"image_token\":\"<i>\",\"boi_token\":\"<s>\",\"eoi_token\":\"<e>\",\"processor_class\":"
        "\"Gemma4Processor\"}");
    expect_placeholder(dir, "Qwen2VLImageProcessor", "<i>", "a<s><i><i><e>b<s><i><e>");
}
END_TEST

START_TEST(a_processor_of_audio_clips_has_a_placeholder_for_them)
{
    static const char text[] = "a<|audio_pad|><|image_pad|>";
    static const size_t n_tokens[] = {3};
    const char *dir = checkpoint("omni");
    serve_placeholder p;
    assay_error err = {0};
    buffer out = {0};
    put(dir, "preprocessor_config.json", "{\"processor_class\":\"Qwen3OmniMoeProcessor\"}");
    expect_placeholder(dir, "Qwen2VLImageProcessor", "<|image_pad|>",
                       "a<|image_pad|><|image_pad|>b<|image_pad|>");
    ck_assert_msg(serve_placeholder_find_audio(dir, &p, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(p.before, "<|audio_start|>");
    ck_assert_str_eq(p.after, "<|audio_end|>");
    ck_assert_int_eq(
        serve_placeholder_expand(&p, "it", (assay_text){text, sizeof text - 1}, n_tokens, 1, &out, NULL),
        ASSAY_OK);
    ck_assert_uint_eq(out.n, sizeof text - 1 + 2 * strlen("<|audio_pad|>"));
    ck_assert_int_eq(serve_placeholder_expand(&p, "it", (assay_text){text, 1}, n_tokens, 1, &out, &err),
                     ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "it has 0 placeholders", "one for each audio clip", NULL);
    buffer_free(&out);
    serve_placeholder_free(&p);
    put(dir, "tokenizer_config.json", "{\"audio_token\":\"<a>\"}");
    ck_assert_int_eq(serve_placeholder_find_audio(dir, &p, NULL), ASSAY_OK);
    ck_assert_str_eq(p.token, "<a>");
    serve_placeholder_free(&p);
}
END_TEST

START_TEST(processors_without_audio_clips_are_refused_by_name)
{
    const char *dir = checkpoint("deaf");
    serve_placeholder p;
    assay_error err = {0};
    ck_assert_int_ne(serve_placeholder_find_audio(dir, &p, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, dir, "the placeholder of audio clips is not known", NULL);
    put(dir, "preprocessor_config.json", "{\"processor_class\":\"Qwen3VLProcessor\"}");
    ck_assert_int_ne(serve_placeholder_find_audio(dir, &p, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, dir, "Qwen2VLProcessor takes no audio clips", NULL);
}
END_TEST

START_TEST(unknown_processors_and_missing_tokens_are_refused)
{
    const char *dir = checkpoint("unknown");
    serve_placeholder p;
    assay_error err = {0};
    ck_assert_int_ne(serve_placeholder_find(dir, "Other", &p, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, dir, "Other", "processor_class", NULL);
    ck_assert_int_ne(serve_placeholder_find(dir, "Gemma4ImageProcessor", &p, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EFORMAT, "tokenizer_config.json", "found no image_token", NULL);
    put(dir, "processor_config.json", "{\"processor_class\":\"OtherProcessor\"}");
    ck_assert_int_ne(serve_placeholder_find(dir, "Qwen2VLImageProcessor", &p, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "processor_config.json", "\"OtherProcessor\"", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/chat");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_checkpoint_without_a_processor_takes_the_file_then_the_tokenizers_member);
    tcase_add_test(all, a_checkpoint_with_a_processor_takes_the_processors_templates_first);
    tcase_add_test(all, tools_choose_a_named_template_of_a_tokenizer);
    tcase_add_test(all, a_gguf_file_has_the_templates_of_its_metadata);
    tcase_add_test(all, a_template_that_is_no_text_is_refused);
    tcase_add_test(all, a_template_sees_the_message_the_tokens_and_the_switches);
    tcase_add_test(all, invalid_utf8_becomes_a_replacement_character);
    tcase_add_test(all, without_a_list_of_added_tokens_special_tokens_map_overrides);
    tcase_add_test(all, a_processor_adds_special_tokens_unless_the_prompt_begins_with_bos);
    tcase_add_test(all, a_template_that_fails_is_named);
    tcase_add_test(all, placeholders_become_the_tokens_of_their_images);
    tcase_add_test(all, a_processor_of_audio_clips_has_a_placeholder_for_them);
    tcase_add_test(all, processors_without_audio_clips_are_refused_by_name);
    tcase_add_test(all, unknown_processors_and_missing_tokens_are_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
