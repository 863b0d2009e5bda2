/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/stop.h"

#include "base/tests/support.h"
#include "gguf/tests/vocabularies.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes the documents (NULL: none) to a directory of their own. */
static const char *write_set(const char *config, const char *generation)
{
    static int count;
    char name[32];
    (void)snprintf(name, sizeof name, "%d-%d", (int)getpid(), count++);
    const char *dir = support_mkdir(support_tmpdir(), name);
    if (config) (void)support_write(dir, "config.json", config, strlen(config));
    if (generation) (void)support_write(dir, "generation_config.json", generation, strlen(generation));
    return dir;
}

static void write_tokenizer(const char *dir, const char *config, const char *tokenizer)
{
    (void)support_write(dir, "tokenizer_config.json", config, strlen(config));
    if (tokenizer) (void)support_write(dir, "tokenizer.json", tokenizer, strlen(tokenizer));
}

static assay_status read_set(const char *config, const char *generation, stop_set **out, assay_error *err)
{
    return stop_set_read(write_set(config, generation), out, err);
}

/* Frees the set. */
static void expect_set(stop_set *s, size_t n, const int32_t *ids, const unsigned *origin)
{
    size_t found;
    const int32_t *got = stop_set_ids(s, &found);
    ck_assert_uint_eq(found, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(got[i], ids[i]);
        ck_assert_uint_eq(stop_set_origin(s, i), origin[i]);
    }
    stop_set_free(s);
}

static void expect_ids(const char *config, const char *generation, size_t n, const int32_t *ids,
                       const unsigned *origin)
{
    stop_set *s = NULL;
    assay_error err;
    ck_assert_int_eq(read_set(config, generation, &s, &err), ASSAY_OK);
    expect_set(s, n, ids, origin);
}

START_TEST(the_set_is_the_union_of_both_documents)
{
    expect_ids("{\"eos_token_id\": 1}", "{\"eos_token_id\": [106, 1, 50]}", 3, (const int32_t[]){1, 50, 106},
               (const unsigned[]){ASSAY_STOP_CONFIG | ASSAY_STOP_GENERATION_CONFIG,
                                  ASSAY_STOP_GENERATION_CONFIG, ASSAY_STOP_GENERATION_CONFIG});
}
END_TEST

static void expect_parsed(const char *tokenizer, const char *config, size_t n, const int32_t *ids,
                          const unsigned *origin)
{
    const assay_stop_documents documents = {.tokenizer = {tokenizer, strlen(tokenizer)},
                                            .config = {config, config ? strlen(config) : 0}};
    stop_set *s = NULL;
    assay_error err;
    ck_assert_int_eq(stop_set_parse(&documents, &s, &err), ASSAY_OK);
    expect_set(s, n, ids, origin);
}

START_TEST(documents_in_memory_name_ids_of_a_tokenizer_too)
{
    expect_parsed("{\"eos_token_id\": 1, \"eos_token_ids\": [1, 106]}", "{\"eos_token_id\": 106}", 2,
                  (const int32_t[]){1, 106},
                  (const unsigned[]){ASSAY_STOP_TOKENIZER, ASSAY_STOP_TOKENIZER | ASSAY_STOP_CONFIG});
    expect_parsed("{\"eos_token_id\": null, \"text_config\": {\"eos_token_id\": 3}}", NULL, 0, NULL, NULL);
}
END_TEST

/* Documents in memory that are refused, and the words. */
static const struct {
    const char *tokenizer, *config, *reason;
} ODD_DOCUMENTS[] = {
    {"{\"eos_token_id\": \"1\", \"eos_token_ids\": [1]}", "{}",
     "tokenizer: eos_token_id: found \"1\", expected"},
    {"{\"eos_token_ids\": 1.5}", "{}", "tokenizer: eos_token_ids: found 1.5, expected"},
    {"{}", "{\"eos_token_id\": [2, -1]}", "config.json: eos_token_id: found -1, expected"},
    {"{}", "{\"text_config\": {\"eos_token_id\": true}}",
     "config.json: text_config.eos_token_id: found true"},
    {"{}", "{\"eos_token_id\": 2147483648}",
     "config.json: eos_token_id: found 2147483648, larger than 2147483647, the largest token id"},
    {"{}", "{\"eos_token_id\": [18446744073709551616]}",
     "config.json: eos_token_id: found 18446744073709551616, larger than"},
    {"{}", "{\"eos_token_id\": 1", "config.json: byte 18: "},
    {"7", "{}", "tokenizer: expected an object"},
};

START_TEST(an_odd_document_is_refused_by_its_own_name)
{
    const assay_stop_documents documents = {
        .tokenizer = {ODD_DOCUMENTS[_i].tokenizer, strlen(ODD_DOCUMENTS[_i].tokenizer)},
        .config = {ODD_DOCUMENTS[_i].config, strlen(ODD_DOCUMENTS[_i].config)}};
    stop_set *s = NULL;
    assay_error err;
    ck_assert_int_eq(stop_set_parse(&documents, &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, ODD_DOCUMENTS[_i].reason, NULL);
    ck_assert_ptr_null(s);
}
END_TEST

/* How a checkpoint's tokenizer names the id 7 of its end. */
static const struct {
    const char *config, *tokenizer;
} NAMED[] = {
    {"{\"eos_token\": \"</s>\", \"added_tokens_decoder\": {\"6\": {\"content\": \"<s>\"}, \"7\": "
     "{\"content\": "
     "\"</s>\"}}}",
     NULL},
    {"{\"eos_token\": {\"content\": \"</s>\"}, \"added_tokens_decoder\": {}}",
     "{\"added_tokens\": [{\"id\": 7, \"content\": \"</s>\"}], \"model\": {\"vocab\": {\"</s>\": 1}}}"},
    {"{\"eos_token\": \"</s>\"}", "{\"model\": {\"vocab\": {\"a\": 0, \"</s>\": 7}}}"},
    {"{\"eos_token\": \"</s>\"}",
     "{\"added_tokens\": [{\"id\": 6, \"content\": \"<s>\"}, {\"id\": 7, \"content\": \"</s>\"}]}"},
    {"{\"eos_token\": \"7\"}",
     "{\"model\": {\"vocab\": [[\"0\", 0], [\"1\", 0], [\"2\", 0], [\"3\", 0], [\"4\", 0], "
     "[\"5\", 0], [\"6\", 0], [\"7\", 0]]}}"},
};

START_TEST(the_tokenizer_of_a_checkpoint_names_its_end)
{
    stop_set *s = NULL;
    assay_error err;
    const char *dir = write_set("{\"eos_token_id\": 2}", NULL);
    write_tokenizer(dir, NAMED[_i].config, NAMED[_i].tokenizer);
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_OK);
    ck_assert_ptr_null(stop_set_nameless(s));
    expect_set(s, 2, (const int32_t[]){2, 7}, (const unsigned[]){ASSAY_STOP_CONFIG, ASSAY_STOP_TOKENIZER});
}
END_TEST

START_TEST(the_first_and_the_last_id_may_be_an_end)
{
    stop_set *s = NULL;
    assay_error err;
    const char *dir = write_set("{\"eos_token_id\": 2147483647}", NULL);
    write_tokenizer(dir, "{\"eos_token\": \"a\"}", "{\"model\": {\"vocab\": {\"a\": 0}}}");
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_OK);
    expect_set(s, 2, (const int32_t[]){0, INT32_MAX},
               (const unsigned[]){ASSAY_STOP_TOKENIZER, ASSAY_STOP_CONFIG});
    dir = write_set("{\"eos_token_id\": 0}", NULL);
    write_tokenizer(dir, "{\"eos_token\": \"a\"}", "{\"model\": {\"vocab\": {\"a\": 2147483647}}}");
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_OK);
    expect_set(s, 2, (const int32_t[]){0, INT32_MAX},
               (const unsigned[]){ASSAY_STOP_CONFIG, ASSAY_STOP_TOKENIZER});
}
END_TEST

START_TEST(a_token_with_nul_is_not_the_end_that_it_begins_with)
{
    stop_set *s = NULL;
    assay_error err;
    const char *dir = write_set("{}", NULL);
    write_tokenizer(dir,
                    "{\"eos_token\": \"a\", \"added_tokens_decoder\": {\"3\": {\"content\": "
                    "\"a\\u0000b\"}}}",
                    "{\"added_tokens\": [{\"id\": 4, \"content\": \"a\\u0000\"}, "
                    "{\"id\": 5, \"content\": \"a\"}]}");
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_OK);
    expect_set(s, 1, (const int32_t[]){5}, (const unsigned[]){ASSAY_STOP_TOKENIZER});
}
END_TEST

START_TEST(an_end_token_without_an_id_is_noted)
{
    stop_set *s = NULL;
    assay_error err;
    const char *dir = write_set("{}", NULL);
    write_tokenizer(dir, "{\"eos_token\": \"</s>\"}", "{\"model\": {\"vocab\": {}}, \"added_tokens\": null}");
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_OK);
    ck_assert_str_eq(stop_set_nameless(s), "</s>");
    expect_set(s, 0, NULL, NULL);
    dir = write_set("{}", NULL);
    write_tokenizer(dir, "{\"eos_token\": null}", NULL);
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_OK);
    ck_assert_ptr_null(stop_set_nameless(s));
    stop_set_free(s);
}
END_TEST

static const struct {
    const char *config, *tokenizer, *reason;
} ODD_TOKENIZERS[] = {
    {"[]", NULL, "tokenizer_config.json: expected an object"},
    {"{", NULL, "tokenizer_config.json"},
    {"{\"eos_token\": 7}", NULL, "eos_token: found 7, expected a token or null"},
    {"{\"eos_token\": {\"content\": 7}}", NULL, "eos_token: found {\"content\":7}, expected"},
    {"{\"eos_token\": \"a\"}", "[]", "tokenizer.json: expected an object"},
    {"{\"eos_token\": \"a\"}", "{\"model\": {\"vocab\": {\"a\": -1}}}",
     "the tokenizer gives eos_token \"a\" the id -1"},
    {"{\"eos_token\": \"a\", \"added_tokens_decoder\": {\"2147483648\": {\"content\": \"a\"}}}", NULL,
     "the tokenizer gives eos_token \"a\" the id 2147483648"},
    {"{\"eos_token\": \"a\", \"added_tokens_decoder\": {\"99999999999999999999\": {\"content\": \"a\"}}}",
     NULL, "the tokenizer gives eos_token \"a\" the id 99999999999999999999, expected 0 to 2147483647"},
    {"{\"eos_token\": \"a\"}", "{\"model\": {\"vocab\": {\"a\": 99999999999999999999}}}",
     "the tokenizer gives eos_token \"a\" the id 99999999999999999999"},
    {"{\"eos_token\": \"a\\u0000b\"}", NULL, "eos_token: found \"a\\u0000b\", expected a token"},
};

START_TEST(an_odd_tokenizer_is_refused_by_name)
{
    stop_set *s = NULL;
    assay_error err;
    const char *dir = write_set("{}", NULL);
    write_tokenizer(dir, ODD_TOKENIZERS[_i].config, ODD_TOKENIZERS[_i].tokenizer);
    ck_assert_int_eq(stop_set_read(dir, &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, ODD_TOKENIZERS[_i].reason, NULL);
    ck_assert_ptr_null(s);
}
END_TEST

START_TEST(documents_of_an_id_are_listed_in_order)
{
    char text[80];
    stop_origin_print(text, sizeof text,
                      ASSAY_STOP_GENERATION_CONFIG | ASSAY_STOP_TOKENIZER | ASSAY_STOP_CONFIG);
    ck_assert_str_eq(text, "tokenizer, config.json, generation_config.json");
    memset(text, 'x', sizeof text);
    stop_origin_print(text, 8, ASSAY_STOP_CONFIG | ASSAY_STOP_TOKENIZER);
    ck_assert_str_eq(text, "tokeniz");
    for (size_t i = 8; i < sizeof text; i++) ck_assert_int_eq(text[i], 'x');
    stop_origin_print(text, sizeof text, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(null_absent_and_empty_add_nothing)
{
    expect_ids("{\"eos_token_id\": null}", "{\"eos_token_id\": []}", 0, NULL, NULL);
    expect_ids("{}", "{}", 0, NULL, NULL);
    expect_ids("{}", NULL, 0, NULL, NULL);
}
END_TEST

START_TEST(a_nested_config_is_used_if_the_top_level_has_none)
{
    expect_ids("{\"text_config\": {\"eos_token_id\": 7}}", NULL, 1, (const int32_t[]){7},
               (const unsigned[]){ASSAY_STOP_CONFIG});
    expect_ids("{\"eos_token_id\": [], \"text_config\": {\"eos_token_id\": 7}}", NULL, 1,
               (const int32_t[]){7}, (const unsigned[]){ASSAY_STOP_CONFIG});
    expect_ids("{\"text_config\": [7]}", NULL, 0, NULL, NULL);
    expect_ids("{\"eos_token_id\": 3, \"text_config\": {\"eos_token_id\": 7}}", NULL, 1, (const int32_t[]){3},
               (const unsigned[]){ASSAY_STOP_CONFIG});
}
END_TEST

static const char *const ODD[] = {"\"2\"", "2.0", "-1", "true", "[1, null]", "[[1]]", "{\"a\": 1}"};

START_TEST(any_other_value_is_refused_by_name)
{
    char text[64];
    stop_set *s = NULL;
    assay_error err;
    (void)snprintf(text, sizeof text, "{\"eos_token_id\": %s}", ODD[_i]);
    ck_assert_int_eq(read_set("{}", text, &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "generation_config.json", "eos_token_id", "expected a token id",
                         NULL);
    ck_assert_ptr_null(s);
}
END_TEST

START_TEST(documents_that_are_no_json_are_refused)
{
    stop_set *s = NULL;
    assay_error err;
    ck_assert_int_eq(read_set("{}", "{\"eos_token_id\": 1", &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "generation_config.json", NULL);
    ck_assert_int_eq(read_set("[]", NULL, &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "config.json", "expected an object", NULL);
    ck_assert_int_eq(read_set(NULL, "{}", &s, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "config.json", NULL);
}
END_TEST

START_TEST(a_gguf_file_names_all_ids_in_its_metadata)
{
    stop_set *s = NULL;
    assay_error err;
    ck_assert_msg(stop_set_read(vocabulary_bytes("gpt-2", NULL), &s, &err) == ASSAY_OK, "%s", err.text);
    expect_set(s, 2, (const int32_t[]){7, 8},
               (const unsigned[]){ASSAY_STOP_TOKENIZER | ASSAY_STOP_GENERATION_CONFIG,
                                  ASSAY_STOP_GENERATION_CONFIG});
    ck_assert_msg(stop_set_read(vocabulary_none(), &s, &err) == ASSAY_OK, "%s", err.text);
    expect_set(s, 0, NULL, NULL);
    ck_assert_int_eq(stop_set_read(vocabulary_bytes("gpt-2", "eos"), &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "bytes.gguf: key 'tokenizer.ggml.eos_token_id': found 9", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/stop");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_gguf_file_names_all_ids_in_its_metadata);
    tcase_add_test(all, the_set_is_the_union_of_both_documents);
    tcase_add_test(all, documents_in_memory_name_ids_of_a_tokenizer_too);
    tcase_add_loop_test(all, an_odd_document_is_refused_by_its_own_name, 0,
                        (int)(sizeof ODD_DOCUMENTS / sizeof *ODD_DOCUMENTS));
    tcase_add_test(all, the_first_and_the_last_id_may_be_an_end);
    tcase_add_loop_test(all, the_tokenizer_of_a_checkpoint_names_its_end, 0,
                        (int)(sizeof NAMED / sizeof *NAMED));
    tcase_add_test(all, a_token_with_nul_is_not_the_end_that_it_begins_with);
    tcase_add_test(all, an_end_token_without_an_id_is_noted);
    tcase_add_loop_test(all, an_odd_tokenizer_is_refused_by_name, 0,
                        (int)(sizeof ODD_TOKENIZERS / sizeof *ODD_TOKENIZERS));
    tcase_add_test(all, documents_of_an_id_are_listed_in_order);
    tcase_add_test(all, null_absent_and_empty_add_nothing);
    tcase_add_test(all, a_nested_config_is_used_if_the_top_level_has_none);
    tcase_add_loop_test(all, any_other_value_is_refused_by_name, 0, (int)(sizeof ODD / sizeof *ODD));
    tcase_add_test(all, documents_that_are_no_json_are_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
