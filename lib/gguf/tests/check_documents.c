/* The documents that a GGUF file's metadata stand for, and the tokenizers that open from them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gguf/document.h"

#include "base/tests/support.h"
#include "gguf/pretokenizers.h"
#include "gguf/tests/vocabularies.h"
#include "tokenizer/encode.h"

#include <stdio.h>
#include <string.h>

/* Encodes with the ids that the post-processor adds, as "1 2 3". */
static const char *encode(const char *path, const char *text)
{
    static char shown[400];
    tokenizer *t = NULL;
    tokenizer_ids ids = {0};
    assay_error err = {0};
    ck_assert_msg(tokenizer_open(path, &t, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(tokenizer_encode(t, text, strlen(text), true, &ids, &err) == ASSAY_OK, "%s", err.text);
    size_t used = 0;
    shown[0] = '\0';
    for (size_t i = 0; i < ids.n; i++)
        used +=
            (size_t)snprintf(shown + used, sizeof shown - used, "%s%d", i > 0 ? " " : "", (int)ids.ids[i]);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
    return shown;
}

static json_object *parse(const char *path, const char *name)
{
    json_object *value = NULL;
    assay_error err = {0};
    ck_assert_msg(gguf_document_parse(path, name, NULL, &value, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_ptr_nonnull(value);
    return value;
}

static const char *member(json_object *object, const char *name)
{
    return json_object_to_json_string_ext(json_object_object_get(object, name), JSON_C_TO_STRING_PLAIN);
}

START_TEST(bytes_are_merged_as_the_file_says)
{
    const char *path = vocabulary_bytes("gpt-2", NULL);
    ck_assert_str_eq(encode(path, "ab"), "4");
    ck_assert_str_eq(encode(path, "ab ab"), "4 6");
    ck_assert_str_eq(encode(path, "aab<end>b"), "0 4 7 1");
    ck_assert_str_eq(encode(path, "<x> <end>"), "8 3 7");
}
END_TEST

START_TEST(merges_follow_from_scores)
{
    const char *path = vocabulary_scores(NULL);
    ck_assert_str_eq(encode(path, "ab"),
                     "1 8"); /* U+2581 a b: "ab" has the greater score, then "U+2581 ab" */
    ck_assert_str_eq(encode(path, "ba"), "1 3 5 4"); /* no token of two */
    ck_assert_str_eq(encode(path, "b</s>a"),
                     "1 3 5 2 9"); /* the text after a special token begins with a blank, too */
    ck_assert_str_eq(encode(path, "\n"), "1 3 10"); /* a byte token */
    ck_assert_str_eq(encode(path, "<unk>"), "1 0");
}
END_TEST

START_TEST(the_file_may_forbid_the_first_blank_and_bos)
{
    const char *path = vocabulary_scores("no prefix");
    ck_assert_str_eq(encode(path, "ab"), "7");
    ck_assert_str_eq(encode(path, " ab"), "8");
    ck_assert_str_eq(encode(path, "abc"), "4 11"); /* "bc" has a greater score than "ab" */
}
END_TEST

START_TEST(every_pretokenizer_opens)
{
    size_t n = 0;
    const gguf_pretokenizer *rows = gguf_pretokenizers(&n);
    for (size_t i = 0; i < n; i++) {
        char names[400];
        ck_assert(rows[i].names[0] == ' ' && strlen(rows[i].names) < sizeof names);
        (void)snprintf(names, sizeof names, "%s", rows[i].names);
        for (char *rest = NULL, *name = strtok_r(names, " ", &rest); name;
             name = strtok_r(NULL, " ", &rest)) {
            ck_assert_ptr_eq(gguf_pretokenizer_find((assay_text){name, strlen(name)}), &rows[i]);
            const char *path = vocabulary_bytes(name, NULL);
            if (!(rows[i].flags & GGUF_PRE_PLAIN)) ck_assert_str_eq(encode(path, "ab"), "4");
            else (void)encode(path, "ab");
        }
    }
}
END_TEST

START_TEST(control_tokens_are_special_and_user_defined_ones_are_not)
{
    json_object *document = parse(vocabulary_bytes("gpt-2", NULL), "tokenizer.json");
    json_object *added = json_object_object_get(document, "added_tokens");
    ck_assert_uint_eq(json_object_array_length(added), 2);
    for (size_t i = 0; i < 2; i++) {
        json_object *token = json_object_array_get_idx(added, i);
        ck_assert_str_eq(member(token, "content"), i == 0 ? "\"<end>\"" : "\"<x>\"");
        ck_assert_str_eq(member(token, "id"), i == 0 ? "7" : "8");
        ck_assert_str_eq(member(token, "special"), i == 0 ? "true" : "false");
        ck_assert_str_eq(member(token, "normalized"), "false");
    }
    json_object_put(document);
}
END_TEST

START_TEST(a_token_that_ends_a_turn_is_a_control_token)
{
    const char *path = vocabulary_bytes("gpt-2", "normal end");
    ck_assert_str_eq(encode(path, "ab</s>ab"), "4 7 4");
    json_object *document = parse(path, "tokenizer.json");
    json_object *token = json_object_array_get_idx(json_object_object_get(document, "added_tokens"), 0);
    ck_assert_str_eq(member(token, "special"), "true");
    json_object_put(document);
}
END_TEST

START_TEST(one_token_may_have_two_roles)
{
    json_object *config = parse(vocabulary_bytes("gpt-2", "bos is eos"), "tokenizer_config.json");
    ck_assert_str_eq(member(config, "bos_token"), "\"<end>\"");
    ck_assert_str_eq(member(config, "eos_token"), "\"<end>\"");
    json_object_put(config);
}
END_TEST

START_TEST(families_that_normalise_texts_do_so)
{
    static const char *const NAMES[] = {"qwen2", "qwen35", "command-r", "olmo"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        json_object *document = parse(vocabulary_bytes(NAMES[i], NULL), "tokenizer.json");
        ck_assert_str_eq(member(document, "normalizer"), "{\"type\":\"NFC\"}");
        json_object_put(document);
    }
}
END_TEST

START_TEST(defaults_follow_the_pretokenizer)
{
    static const struct {
        const char *pre, *ignores;
    } ROWS[] = {
        {"gpt-2", "false"}, {"llama-bpe", "true"}, {"tekken", "true"}, {"glm4", "true"}, {"qwen2", "false"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        json_object *document = parse(vocabulary_bytes(ROWS[i].pre, NULL), "tokenizer.json");
        ck_assert_str_eq(member(json_object_object_get(document, "model"), "ignore_merges"), ROWS[i].ignores);
        json_object_put(document);
    }
}
END_TEST

START_TEST(configs_name_the_special_tokens)
{
    const char *path = vocabulary_bytes("llama-bpe", NULL);
    json_object *config = parse(path, "tokenizer_config.json"),
                *generation = parse(path, "generation_config.json");
    ck_assert_str_eq(member(config, "eos_token"), "\"<end>\"");
    ck_assert_str_eq(member(config, "add_bos_token"), "false");
    ck_assert_str_eq(member(config, "chat_template"), "\"{{ x }}\"");
    ck_assert(strstr(member(config, "added_tokens_decoder"), "\"7\":{\"content\":\"<end>\"") != NULL);
    ck_assert_ptr_null(json_object_object_get(config, "bos_token"));
    ck_assert_str_eq(member(generation, "eos_token_id"), "[7,8]");
    json_object_put(config);
    json_object_put(generation);
    path = vocabulary_scores(NULL);
    config = parse(path, "tokenizer_config.json");
    ck_assert_str_eq(member(config, "bos_token"), "\"<s>\"");
    ck_assert_str_eq(member(config, "unk_token"), "\"<unk>\"");
    ck_assert_str_eq(member(config, "add_bos_token"), "true");
    ck_assert_str_eq(
        member(config, "chat_template"),
        "[{\"name\":\"default\",\"template\":\"d\"},{\"name\":\"tool_use\",\"template\":\"t\"}]");
    json_object_put(config);
}
END_TEST

START_TEST(other_documents_do_not_exist)
{
    static const char *const NAMES[] = {"config.json", "chat_template.jinja", "tokenizer.model", ""};
    const char *path = vocabulary_scores(NULL);
    gguf_document d;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        ck_assert_int_eq(gguf_document_read(path, NAMES[i], 1000, &d, NULL), ASSAY_OK);
        ck_assert_ptr_null(d.text);
        ck_assert(!gguf_document_exists(path, NAMES[i]));
        gguf_document_free(&d);
    }
    ck_assert(gguf_document_exists(path, "tokenizer.json"));
    path = support_write(support_tmpdir(), "short.gguf", "GGUF", 4);
    ck_assert(gguf_document_exists(path, "tokenizer.json") && !gguf_document_exists(path, "config.json"));
    path = vocabulary_none();
    assay_error err = {0};
    ck_assert(!gguf_document_exists(path, "tokenizer.json"));
    ck_assert_int_eq(gguf_document_require(path, "tokenizer.json", 1000, &d, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "none.gguf: tokenizer.json: found nothing", "expected the metadata",
                         NULL);
    gguf_document_free(&d);
}
END_TEST

START_TEST(documents_of_a_directory_are_its_files)
{
    const char *dir = support_mkdir(support_tmpdir(), "checkpoint");
    (void)support_write(dir, "tokenizer.json", "{\"a\":1}", 7);
    json_object *value = parse(dir, "tokenizer.json");
    ck_assert_str_eq(member(value, "a"), "1");
    json_object_put(value);
    gguf_document d;
    assay_error err = {0};
    ck_assert(gguf_document_exists(dir, "tokenizer.json") && !gguf_document_exists(dir, "config.json"));
    ck_assert_int_eq(gguf_document_read(dir, "config.json", 1000, &d, NULL), ASSAY_OK);
    ck_assert_ptr_null(d.text);
    gguf_document_free(&d);
    ck_assert_int_eq(gguf_document_require(dir, "config.json", 1000, &d, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "checkpoint/config.json: No such file", NULL);
    gguf_document_free(&d);
    ck_assert_int_eq(gguf_document_read(dir, "tokenizer.json", 6, &d, &err), ASSAY_EUNSUPPORTED);
    gguf_document_free(&d);
    ck_assert_int_eq(gguf_document_read(vocabulary_scores(NULL), "tokenizer.json", 6, &d, &err),
                     ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "scores.gguf: tokenizer.json: found", "expected at most 6",
                         NULL);
    gguf_document_free(&d);
}
END_TEST

START_TEST(defects_are_refused_by_name)
{
    static const struct {
        const char *defect;
        assay_status status;
        const char *found, *expected;
    } ROWS[] = {
        {"model", ASSAY_EUNSUPPORTED, "key 'tokenizer.ggml.model': found \"rwkv\"",
         "expected llama, gpt2 or gemma4"},
        {"pre", ASSAY_EUNSUPPORTED, "key 'tokenizer.ggml.pre': found \"whitespace\"",
         "expected a pre-tokenizer"},
        {"no tokens", ASSAY_EFORMAT, "key 'tokenizer.ggml.tokens': found nothing", "expected a value"},
        {"empty tokens", ASSAY_EFORMAT, "key 'tokenizer.ggml.tokens': found 0 tokens", "expected 1 to"},
        {"token twice", ASSAY_EFORMAT, "found \"b\" as token 1 and 9", "expected it once"},
        {"token for an empty one", ASSAY_EFORMAT, "found an empty token 9 and \"[EMPTY_9]\"",
         "which stands for it"},
        {"token with a zero", ASSAY_EUNSUPPORTED, "token 9: found U+0000", "expected a token without"},
        {"token of other bytes", ASSAY_EFORMAT, "token 9: found bytes that are no UTF-8", ""},
        {"token too long", ASSAY_EUNSUPPORTED, "token 9: found 1025 bytes", "expected at most 1024"},
        {"few types", ASSAY_EFORMAT, "key 'tokenizer.ggml.token_type': found 2 elements",
         "one for each of 9 tokens"},
        {"score", ASSAY_EFORMAT, "key 'tokenizer.ggml.scores': token 1: found inf",
         "expected a finite number"},
        {"no merges", ASSAY_EFORMAT, "key 'tokenizer.ggml.merges': found nothing", "expected a value"},
        {"merge", ASSAY_EFORMAT, "key 'tokenizer.ggml.merges': element 2: found \"ab\"", "a blank between"},
        {"merge ends", ASSAY_EFORMAT, "key 'tokenizer.ggml.merges': element 2: found \"a \"",
         "a blank between"},
        {"eos", ASSAY_EFORMAT, "key 'tokenizer.ggml.eos_token_id': found 9", "the id of one of 9 tokens"},
        {"bos", ASSAY_EFORMAT,
         "key 'tokenizer.ggml.add_bos_token': found true and no tokenizer.ggml.bos_token_id", "expected one"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const char *path = vocabulary_bytes("gpt-2", ROWS[i].defect);
        gguf_document d;
        assay_error err = {0};
        const assay_status rc = gguf_document_read(path, "tokenizer.json", JSON_SIZE_MAX, &d, &err);
        ck_assert_msg(rc == ROWS[i].status && !d.text, "%s: %d %s", ROWS[i].defect, (int)rc, err.text);
        support_expect_error(&err, ROWS[i].status, "bytes.gguf: ", ROWS[i].found, ROWS[i].expected, NULL);
        gguf_document_free(&d);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf/documents");
    TCase *t = tcase_create("all");
    tcase_add_test(t, bytes_are_merged_as_the_file_says);
    tcase_add_test(t, merges_follow_from_scores);
    tcase_add_test(t, the_file_may_forbid_the_first_blank_and_bos);
    tcase_add_test(t, every_pretokenizer_opens);
    tcase_add_test(t, control_tokens_are_special_and_user_defined_ones_are_not);
    tcase_add_test(t, a_token_that_ends_a_turn_is_a_control_token);
    tcase_add_test(t, one_token_may_have_two_roles);
    tcase_add_test(t, families_that_normalise_texts_do_so);
    tcase_add_test(t, defaults_follow_the_pretokenizer);
    tcase_add_test(t, configs_name_the_special_tokens);
    tcase_add_test(t, other_documents_do_not_exist);
    tcase_add_test(t, documents_of_a_directory_are_its_files);
    tcase_add_test(t, defects_are_refused_by_name);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
