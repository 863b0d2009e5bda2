/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/tokenizer.h"

#include "base/tests/support.h"
#include "tokenizer/encode.h"
#include "tokenizer/tests/tokenizer_file.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_ids(const tokenizer *t, const char *text, size_t n, bool add_special, const char *expected)
{
    tokenizer_ids ids = {0};
    assay_error err = {0};
    char found[4096] = "";
    size_t used = 0;
    ck_assert_msg(tokenizer_encode(t, text, n, add_special, &ids, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < ids.n && used < sizeof found; i++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%d", i ? " " : "", (int)ids.ids[i]);
    ck_assert_str_eq(found, expected);
    tokenizer_ids_free(&ids);
}

START_TEST(lowest_rank_merges_first_then_leftmost)
{
    tokenizer *t = tokenizer_file_open(&(tokenizer_file){0});
    expect_ids(t, "ababa", 5, false, "2 3");
    expect_ids(t, "baab", 4, false, "1 0 2");
    expect_ids(t, "", 0, true, "");
    expect_ids(t, "xax", 3, false, "0"); /* without an unknown token, unknown characters are dropped */
    tokenizer_free(t);
}
END_TEST

START_TEST(invalid_utf8_is_encoded_as_replacement_characters)
{
    static const tokenizer_file f = {.model =
                                         BPE_HEAD "\"vocab\":{\"a\":0,\"\xef\xbf\xbd\":1},\"merges\":[]}"};
    tokenizer *t = tokenizer_file_open(&f);
    expect_ids(t,
               "a\xff\xe2\x82"
               "a\xf0\x9f",
               7, false, "0 1 1 0 1");
    expect_ids(t, "\xef\xbf\xbd", 3, false, "1");
    tokenizer_free(t);
}
END_TEST

/* The flags of an added token. */
#define FLAGS(single, left, right)                                                                           \
    "\"single_word\":" single ",\"lstrip\":" left ",\"rstrip\":" right                                       \
    ",\"normalized\":false,\"special\":false"

static const char ADDED[] = "[" TOKEN("<x>", NO_FLAGS);
static const char MORE_ADDED[] = "," TOKEN("<l>", FLAGS("false", "true", "false"));
static const char LAST_ADDED[] = "," TOKEN("<r>", FLAGS("false", "false", "true"));
static const char WORD_ADDED[] = "," TOKEN("w", FLAGS("true", "false", "false"));
static const char END_ADDED[] = "," TOKEN("<xx>", NO_FLAGS) "]";

START_TEST(added_tokens_strip_white_space)
{
    char added[2048];
    (void)snprintf(added, sizeof added, "%s%s%s%s%s", ADDED, MORE_ADDED, LAST_ADDED, WORD_ADDED, END_ADDED);
    const tokenizer_file f = {.added = added,
                              .model = BPE_HEAD "\"vocab\":{\"a\":0,\" \":1,\"w\":2,\"<\":3},\"merges\":[]}"};
    tokenizer *t = tokenizer_file_open(&f);
    /* Added tokens get the ids after those of the model, except "w", which is a token of the model. */
    expect_ids(t, "a <x> a", 7, false, "0 1 4 1 0");
    expect_ids(t, "a  <l> a", 8, false, "0 5 1 0");
    expect_ids(t, "a <r>  a", 8, false, "0 1 6 0");
    expect_ids(t, "<r>  <l>", 8, false, "6 5");
    expect_ids(t, "awa w", 5, false, "0 2 0 1 2");
    expect_ids(t, "<<xx>", 5, false, "3 7");
    ck_assert_int_eq(tokenizer_id_of(t, "<x>", 3), 4);
    ck_assert_int_eq(tokenizer_id_of(t, "<y>", 3), -1);
    ck_assert(tokenizer_is_special(t, 4));
    ck_assert(!tokenizer_is_special(t, 5));
    size_t n;
    ck_assert_mem_eq(tokenizer_text_of(t, 7, &n), "<xx>", 4);
    ck_assert_uint_eq(n, 4);
    ck_assert_ptr_null(tokenizer_text_of(t, 8, &n));
    tokenizer_free(t);
}
END_TEST

START_TEST(truncation_counts_special_tokens)
{
    static const tokenizer_file f = {
        .post = "{\"type\":\"BertProcessing\",\"sep\":[\"s\",8],\"cls\":[\"c\",7]}",
        .truncation = "{\"direction\":\"Left\",\"max_length\":4,\"strategy\":\"LongestFirst\",\"stride\":0}",
        .padding = "{\"strategy\":{\"Fixed\":6},\"direction\":\"Left\",\"pad_to_multiple_of\":4,\"pad_id\":5,"
                   "\"pad_type_id\":0,\"pad_token\":\"p\"}"};
    tokenizer *t = tokenizer_file_open(&f);
    expect_ids(t, "abbab", 5, true, "5 5 5 5 7 1 2 8");
    expect_ids(t, "bbbbbab", 7, false, "5 5 5 5 1 1 1 2");
    tokenizer_free(t);
}
END_TEST

enum { LONG = 1 << 20 };

/* Encoding in quadratic time would exceed the timeout of the tests. */
START_TEST(a_megabyte_without_a_space_takes_linear_time)
{
    static const char *const MODELS[] = {SIMPLE,
                                         "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],[\"a\",-1],"
                                         "[\"b\",-1],[\"ab\",-1.5],[\"abab\",-2]]}",
                                         "{\"type\":\"WordPiece\",\"unk_token\":\"a\",\"continuing_subword_"
                                         "prefix\":\"\",\"max_input_chars_per_word\":9999999,"
                                         "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2}}"};
    static char text[LONG];
    for (size_t i = 0; i < LONG; i++) text[i] = "ab"[i % 2];
    tokenizer *t = tokenizer_file_open(&(tokenizer_file){.model = MODELS[_i]});
    tokenizer_ids ids = {0};
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_encode(t, text, LONG, false, &ids, &err), ASSAY_OK);
    ck_assert_uint_eq(ids.n, _i == 1 ? LONG / 4 : LONG / 2);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
}
END_TEST

START_TEST(a_megabyte_of_marks_or_of_white_space_takes_linear_time)
{
    static const tokenizer_file f = {
        .added = "[" TOKEN(" ", "\"single_word\":false,\"lstrip\":false,\"rstrip\":true,"
                                "\"normalized\":false,\"special\":false") "]",
        .normalizer = "{\"type\":\"NFC\"}",
        .pretokenizer = "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"\\\\s+(?!\\\\S)|"
                        "\\\\s+|\\\\p{M}+\"},\"behavior\":\"Isolated\",\"invert\":false}"};
    tokenizer *t = tokenizer_file_open(&f);
    tokenizer_ids ids = {0};
    assay_error err = {0};
    static char text[LONG];
    memset(text, ' ', LONG);
    ck_assert_int_eq(tokenizer_encode(t, text, LONG, false, &ids, &err), ASSAY_OK);
    for (size_t i = 0; i < LONG; i += 2)
        memcpy(text + i, i % 4 ? "\xcc\x81" : "\xcc\xa7", 2); /* acute, cedilla */
    ck_assert_int_eq(tokenizer_encode(t, text, LONG, false, &ids, &err), ASSAY_OK);
    ck_assert_uint_eq(ids.n, 0);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
}
END_TEST

START_TEST(the_cache_does_not_change_ids)
{
    tokenizer *t = tokenizer_file_open(&(tokenizer_file){.pretokenizer = "{\"type\":\"WhitespaceSplit\"}"});
    tokenizer_encoder *e = NULL;
    tokenizer_ids first = {0}, again = {0};
    assay_error err = {0};
    ck_assert_int_eq(tokenizer_encoder_open(t, &e, &err), ASSAY_OK);
    for (unsigned round = 0; round < 60; round++) {
        char text[2000];
        for (size_t i = 0; i < sizeof text; i++) text[i] = "ab "[(i * 7 + i * i / (3 + round) + round) % 3];
        ck_assert_int_eq(tokenizer_encode_with(e, text, sizeof text, false, &first, &err), ASSAY_OK);
        for (size_t from = 0, out = 0; from < sizeof text; from += 100) { /* too short for a cache */
            size_t to = from + 100 < sizeof text ? from + 100 : sizeof text;
            while (to < sizeof text && text[to - 1] != ' ') to++;
            ck_assert_int_eq(tokenizer_encode(t, text + from, to - from, false, &again, &err), ASSAY_OK);
            if (again.n > 0) ck_assert_mem_eq(first.ids + out, again.ids, again.n * sizeof *again.ids);
            out += again.n;
            from = to - 100;
        }
    }
    tokenizer_ids_free(&first);
    tokenizer_ids_free(&again);
    tokenizer_encoder_free(e);
    tokenizer_free(t);
}
END_TEST

static void *encode_on_a_thread(void *context)
{
    for (int i = 0; i < 200; i++) expect_ids(context, "ababa baab", 10, false, "2 2 3 2");
    return NULL;
}

START_TEST(one_tokenizer_serves_many_threads)
{
    pthread_t threads[4];
    tokenizer *t = tokenizer_file_open(&(tokenizer_file){0});
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, encode_on_a_thread, t), 0);
    for (size_t i = 0; i < 4; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    tokenizer_free(t);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer/tokenizer");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 20);
    tcase_add_test(all, lowest_rank_merges_first_then_leftmost);
    tcase_add_test(all, invalid_utf8_is_encoded_as_replacement_characters);
    tcase_add_test(all, added_tokens_strip_white_space);
    tcase_add_test(all, truncation_counts_special_tokens);
    tcase_add_loop_test(all, a_megabyte_without_a_space_takes_linear_time, 0, 3);
    tcase_add_test(all, a_megabyte_of_marks_or_of_white_space_takes_linear_time);
    tcase_add_test(all, the_cache_does_not_change_ids);
    tcase_add_test(all, one_tokenizer_serves_many_threads);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
