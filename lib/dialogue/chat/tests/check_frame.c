/* The prompts that a processor writes: their text, the tokens they need, and the conversations they refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/frame.h"

#include <string.h>

#include "base/tests/support.h"
#include "dialogue/chat/chat.h"
#include "dialogue/chat/images.h"
#include "dialogue/chat/placeholder.h"
#include "dialogue/table.h"
#include "image/config_file.h"

#define TOKEN(id, text)                                                                                      \
    "{\"id\":" #id ",\"content\":\"" text "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,"      \
    "\"normalized\":false,\"special\":true}"
#define TOKENIZER(first, answer)                                                                             \
    "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[" TOKEN(                    \
        0, first) "," TOKEN(1, "<1>") "," TOKEN(2, "<2>") answer                                             \
        "],\"normalizer\":null,\"pre_tokenizer\":null,\"post_processor\":null,\"decoder\":null,\"model\":{"  \
        "\"type\":"                                                                                          \
        "\"BPE\",\"dropout\":null,\"unk_token\":null,\"continuing_subword_prefix\":null,\"end_of_word_"      \
        "suffix\":null,"                                                                                     \
        "\"fuse_unk\":false,\"byte_fallback\":false,\"vocab\":{\"" first                                     \
        "\":0,\"<1>\":1,\"<2>\":2,\"<3>\":3,\"a\":4},\"merges\":[]}}"
#define USUAL TOKENIZER("<|endoftext|>", "," TOKEN(3, "<3>"))

static const char *dir;

static void put(const char *file, const char *text)
{
    (void)support_write(dir, file, text, strlen(text));
}

/* Tests that share a process, or its directory, have checkpoints of their own. */
static void begin(const char *name)
{
    dir = support_mkdir(support_tmpdir(), name);
    put("config.json", "{\"model_type\":\"moondream3\"}");
    put("tokenizer.json", USUAL);
}

static assay_status render(const serve_chat_request *request, buffer *out, assay_error *err)
{
    serve_chat_source s;
    bool add_special = true;
    ck_assert_msg(serve_chat_source_find(dir, false, &s, err) == ASSAY_OK, "%s", err->text);
    ck_assert_str_eq(s.place, SERVE_CHAT_FRAME_PLACE);
    const assay_status rc = serve_chat_render(assay_serving_v2(), dir, &s, request, out, &add_special, err);
    if (rc == ASSAY_OK) ck_assert(!add_special);
    serve_chat_source_free(&s);
    return rc;
}

static void expect_rendered(const serve_chat_request *request, const char *text)
{
    buffer out = {0};
    assay_error err = {0};
    ck_assert_msg(render(request, &out, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(out.n, strlen(text));
    ck_assert_mem_eq(out.data, text, out.n);
    buffer_free(&out);
}

static void expect_no_source(void)
{
    serve_chat_source s;
    assay_error err = {0};
    ck_assert_int_ne(serve_chat_source_find(dir, false, &s, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EFORMAT, dir, "expected the", NULL);
}

static const assay_text text = {" a\n{{ a }}", 10};

START_TEST(a_question_with_an_image_is_framed)
{
    begin("a_question_with_an_image_is_framed");
    expect_rendered(&(serve_chat_request){.prompt = text, .n_images = 1},
                    "<|endoftext|>\n\nQuestion:  a\n{{ a }}\n\nAnswer: <3>");
}
END_TEST

START_TEST(a_text_alone_follows_the_first_token)
{
    begin("a_text_alone_follows_the_first_token");
    expect_rendered(&(serve_chat_request){.prompt = text}, "<|endoftext|> a\n{{ a }}");
    put("processor_config.json", "{}"); /* the tokenizer adds nothing then, either */
    expect_rendered(&(serve_chat_request){.prompt = text}, "<|endoftext|> a\n{{ a }}");
}
END_TEST

START_TEST(a_template_of_the_checkpoint_comes_first)
{
    serve_chat_source s;
    begin("a_template_of_the_checkpoint_comes_first");
    put("chat_template.jinja", "own");
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, NULL), ASSAY_OK);
    ck_assert_str_eq(s.place, "chat_template.jinja");
    ck_assert(!s.is_complete);
    serve_chat_source_free(&s);
}
END_TEST

START_TEST(other_models_have_no_frame)
{
    serve_chat_source s;
    begin("other_models_have_no_frame");
    put("config.json", "{\"model_type\":\"moondream2\"}");
    ck_assert_int_eq(serve_chat_source_find(dir, false, &s, NULL), ASSAY_OK);
    ck_assert_ptr_null(s.place);
}
END_TEST

START_TEST(other_conversations_are_refused)
{
    buffer out = {0};
    assay_error err = {0};
    begin("other_conversations_are_refused");
    ck_assert_int_ne(render(&(serve_chat_request){.prompt = text, .n_images = 2}, &out, &err), ASSAY_OK);
    support_expect_error(&err, ASSAY_EFORMAT, dir, "found 2 images, expected one", NULL);
    ck_assert_int_ne(render(&(serve_chat_request){.prompt = text, .system = text, .n_images = 1}, &out, &err),
                     ASSAY_OK);
    support_expect_error(&err, ASSAY_EFORMAT, dir, "found 2 messages, expected one of the user", NULL);
    buffer_free(&out);
}
END_TEST

START_TEST(the_tokens_must_have_the_ids_of_the_published_processor)
{
    begin("the_tokens_must_have_the_ids_of_the_published_processor");
    put("tokenizer.json", TOKENIZER("<|endoftext|>", ""));
    expect_no_source();
    put("tokenizer.json", TOKENIZER("<0>", "," TOKEN(3, "<3>")));
    expect_no_source();
    put("tokenizer_config.json", "{\"bos_token\":\"<1>\"}");
    expect_no_source();
    put("tokenizer_config.json", "{\"bos_token\":\"<0>\"}");
    expect_rendered(&(serve_chat_request){.prompt = text}, "<0> a\n{{ a }}");
}
END_TEST

START_TEST(the_first_token_is_one_of_the_image)
{
    static const size_t n_tokens[] = {3};
    serve_placeholder p;
    assay_error err = {0};
    buffer out = {0};
    const char *written = "<|endoftext|>a<3>", *expanded = "<|endoftext|><|endoftext|><|endoftext|>a<3>";
    begin("the_first_token_is_one_of_the_image");
    ck_assert_msg(serve_placeholder_find(dir, "Moondream3Processor", &p, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(p.token, "<|endoftext|>");
    ck_assert(p.is_first);
    ck_assert_int_eq(
        serve_placeholder_expand(&p, "it", (assay_text){written, strlen(written)}, n_tokens, 1, &out, &err),
        ASSAY_OK);
    ck_assert_uint_eq(out.n, strlen(expanded));
    ck_assert_mem_eq(out.data, expanded, out.n);
    buffer_free(&out);
    serve_placeholder_free(&p);
}
END_TEST

/* The tokens of a black image of 8 x 8 pixels, and the first one of the prompt; 0: refused. */
static size_t count_tokens(assay_error *err)
{
    static const char black[11 + 8 * 8] = "P5 8 8 255\n";
    const serve_media_file source = {.name = "black", .bytes = (const uint8_t *)black, .n = sizeof black};
    image_config config;
    serve_images *images = NULL;
    size_t n = 0;
    ck_assert_msg(image_config_open(dir, false, &config, err) == ASSAY_OK, "%s", err->text);
    const serve_media_limits limits = {.arrays = SIZE_MAX};
    if (serve_images_open(&config, &source, 1, &limits, &images, err) == ASSAY_OK) n = images->n_tokens[0];
    serve_images_free(images);
    image_config_free(&config);
    return n;
}

START_TEST(the_processor_writes_as_many_tokens_for_every_image)
{
    assay_error err = {0};
    begin("the_processor_writes_as_many_tokens_for_every_image");
    ck_assert_uint_eq(count_tokens(&err), 1 + 729);
    put("config.json", "{\"model_type\":\"moondream3\",\"vision_config\":{\"crop_size\":392}}");
    ck_assert_uint_eq(count_tokens(&err), 0);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "black: found a crop_size of 392 pixels, of 784 tokens",
                         "729", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/chat/frame");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_question_with_an_image_is_framed);
    tcase_add_test(all, a_text_alone_follows_the_first_token);
    tcase_add_test(all, a_template_of_the_checkpoint_comes_first);
    tcase_add_test(all, other_models_have_no_frame);
    tcase_add_test(all, other_conversations_are_refused);
    tcase_add_test(all, the_tokens_must_have_the_ids_of_the_published_processor);
    tcase_add_test(all, the_first_token_is_one_of_the_image);
    tcase_add_test(all, the_processor_writes_as_many_tokens_for_every_image);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
