/* The limits of a tokenizer.json (tokenizer/tokenizer.h): what has none, and each limit, exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/tokenizer.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/tests/support.h"
#include "tokenizer/encode.h"
#include "tokenizer/tests/tokenizer_file.h"

enum { LONG = 1 << 14 };

/* `unit` n times between two texts. Freed by the caller. */
static char *repeat(const char *before, const char *unit, size_t n, const char *after)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(f);
    (void)fputs(before, f);
    for (size_t i = 0; i < n; i++) (void)fputs(unit, f);
    (void)fputs(after, f);
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

/* Expects the ids of n letters "x". */
static void encode(const tokenizer_file *f, size_t n, const int32_t *expected, size_t n_expected)
{
    tokenizer *t = tokenizer_file_open(f);
    char *text = repeat("", "x", n, "");
    tokenizer_ids ids = {0};
    assay_error err = {0};
    ck_assert_msg(tokenizer_encode(t, text, n, true, &ids, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(ids.n, n_expected);
    ck_assert_mem_eq(ids.ids, expected, n_expected * sizeof *expected);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
    free(text);
}

/* A model with the token "x", id 0, and one of LONG letters "x", id 1. */
static const struct {
    const char *before, *after;
} MODELS[] = {
    {BPE_HEAD "\"ignore_merges\":true,\"merges\":[],\"vocab\":{\"x\":0,\"", "\":1}}"},
    {"{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"x\",-9],[\"", "\",-1]]}"},
    {"{\"type\":\"WordPiece\",\"unk_token\":\"?\",\"continuing_subword_prefix\":\"\","
     "\"max_input_chars_per_word\":9999999,\"vocab\":{\"x\":0,\"",
     "\":1}}"},
    {"{\"type\":\"WordLevel\",\"unk_token\":\"x\",\"vocab\":{\"x\":0,\"", "\":1}}"},
};

START_TEST(a_token_may_be_as_long_as_the_file)
{
    char *model = repeat(MODELS[_i].before, "x", LONG, MODELS[_i].after);
    encode(&(tokenizer_file){.model = model}, LONG, &(int32_t){1}, 1);
    encode(&(tokenizer_file){.model = model}, 1, &(int32_t){0}, 1);
    free(model);
}
END_TEST

START_TEST(an_added_token_may_be_as_long_as_the_file)
{
    static const char NORMALIZER[] = "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"y\"},\"content\":\"x\"}";
    char *plain = repeat("[{\"id\":9,\"content\":\"", "x", LONG, "\"," NO_FLAGS "}]"),
         *normal = repeat("[{\"id\":9,\"content\":\"", "y", LONG,
                          "\",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":true,"
                          "\"special\":true}]");
    encode(&(tokenizer_file){.added = plain}, LONG, &(int32_t){4}, 1);
    encode(&(tokenizer_file){.added = normal, .normalizer = NORMALIZER}, LONG, &(int32_t){4}, 1);
    free(plain);
    free(normal);
}
END_TEST

START_TEST(affixes_of_bpe_have_no_limit)
{
    char *head = repeat(BPE_HEAD "\"merges\":[],\"continuing_subword_prefix\":\"", "#", 2000,
                        "\",\"vocab\":{\"x\":0,\""),
         *model = repeat(head, "#", 2000, "x\":1}}");
    encode(&(tokenizer_file){.model = model}, 3, (int32_t[]){0, 1, 1}, 3);
    free(head);
    free(model);
}
END_TEST

START_TEST(a_score_may_have_any_number_of_digits)
{
    char *model =
        repeat("{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"x\",-1.", "0", 5000, "1],[\"xx\",-1]]}");
    encode(&(tokenizer_file){.model = model}, 2, &(int32_t){1}, 1);
    free(model);
}
END_TEST

/* The member of a tokenizer_file that a row sets. */
#define MEMBER(name) offsetof(tokenizer_file, name)
#define SEQUENCE     "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}"
#define STEPS(list, step)                                                                                    \
    "{\"type\":\"Sequence\",\"" list "\":[{\"type\":\"" step "\"}", ",{\"type\":\"" step "\"}", "]}"

/* `most` units between `before` and `after` are accepted, one more is refused. */
static const struct {
    size_t member;
    const char *before, *unit, *after;
    size_t most;
    const char *place, *words;
} LIMITS[] = {
    {MEMBER(normalizer), STEPS("normalizers", "NFC"), 63,
     "normalizer.normalizers[64]: ", "more than 64 steps"},
    {MEMBER(pretokenizer), STEPS("pretokenizers", "Whitespace"), 63,
     "pre_tokenizer.pretokenizers[64]: ", "more than 64 stages"},
    {MEMBER(decoder), STEPS("decoders", "Fuse"), 63, "decoder.decoders[64]: ", "more than 64 steps"},
    {MEMBER(post), "{\"type\":\"TemplateProcessing\",\"special_tokens\":{},\"single\":[" SEQUENCE,
     "," SEQUENCE, "]}", 15, "post_processor: ", "found the text more than 16 times"},
    {MEMBER(post), "{\"type\":\"TemplateProcessing\",\"special_tokens\":{},\"single\":[" SEQUENCE "]", " ",
     "}", ((size_t)16 << 20) - 96, "tokenizer.json", "expected at most 16777216"},
};

START_TEST(a_limit_is_exact)
{
    for (size_t more = 0; more < 2; more++) {
        tokenizer_file f = {0};
        tokenizer *t = NULL;
        assay_error err = {0};
        char *value = repeat(LIMITS[_i].before, LIMITS[_i].unit, LIMITS[_i].most + more, LIMITS[_i].after);
        *(const char **)((char *)&f + LIMITS[_i].member) = value;
        const assay_status rc = tokenizer_open(tokenizer_file_write(&f), &t, &err);
        ck_assert_msg(rc == (more ? ASSAY_EUNSUPPORTED : ASSAY_OK), "%s", err.text);
        if (more)
            support_expect_error(&err, ASSAY_EUNSUPPORTED, "tokenizer.json: ", LIMITS[_i].place,
                                 LIMITS[_i].words, NULL);
        tokenizer_free(t);
        free(value);
    }
}
END_TEST

/* From 60 bytes a file could ask for any number of padding ids. */
START_TEST(added_ids_are_limited)
{
    tokenizer *t = NULL;
    assay_error err = {0};
    static const char PADDING[] = "{\"strategy\":{\"Fixed\":16777217},\"direction\":\"Right\",\"pad_id\":0}";
    ck_assert_int_eq(tokenizer_open(tokenizer_file_write(&(tokenizer_file){.padding = PADDING}), &t, &err),
                     ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "padding.strategy.Fixed: ", "found 16777217", "16777216", NULL);
}
END_TEST

/* PCRE2 limits the size of a compiled expression. */
START_TEST(a_long_expression_is_left_to_pcre2)
{
    static const char HEAD[] = "{\"type\":\"Split\",\"invert\":false,\"behavior\":\"Isolated\",\"pattern\":"
                               "{\"Regex\":\"x";
    char *accepted = repeat(HEAD, "x", 20000, "\"}}"), *refused = repeat(HEAD, "|x", 500000, "\"}}");
    tokenizer *t = NULL;
    assay_error err = {0};
    tokenizer_free(tokenizer_file_open(&(tokenizer_file){.pretokenizer = accepted}));
    ck_assert_int_eq(
        tokenizer_open(tokenizer_file_write(&(tokenizer_file){.pretokenizer = refused}), &t, &err),
        ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED,
                         "pre_tokenizer.pattern.Regex: ", "PCRE2 says: ", "too large", NULL);
    free(accepted);
    free(refused);
}
END_TEST

START_TEST(the_size_of_a_file_is_limited)
{
    for (size_t more = 0; more < 2; more++) {
        tokenizer *t = NULL;
        assay_error err = {0};
        const char *dir = support_mkdir(support_tmpdir(), "large");
        static const char DOCUMENT[] = "{\"model\":" SIMPLE "}";
        char *text = malloc(JSON_SIZE_MAX + 1);
        ck_assert_ptr_nonnull(text);
        memset(text, ' ', JSON_SIZE_MAX + 1);
        memcpy(text, DOCUMENT, sizeof DOCUMENT - 1);
        (void)support_write(dir, "tokenizer.json", text, JSON_SIZE_MAX + more);
        const assay_status rc = tokenizer_open(dir, &t, &err);
        ck_assert_msg(rc == (more ? ASSAY_EUNSUPPORTED : ASSAY_OK), "%s", err.text);
        if (more)
            support_expect_error(&err, ASSAY_EUNSUPPORTED, "tokenizer.json: found 67108865 bytes",
                                 "expected at most 67108864", NULL);
        tokenizer_free(t);
        free(text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer/tokenizer_limits");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_token_may_be_as_long_as_the_file, 0, (int)(sizeof MODELS / sizeof *MODELS));
    tcase_add_test(all, an_added_token_may_be_as_long_as_the_file);
    tcase_add_test(all, affixes_of_bpe_have_no_limit);
    tcase_add_test(all, a_score_may_have_any_number_of_digits);
    tcase_add_loop_test(all, a_limit_is_exact, 0, (int)(sizeof LIMITS / sizeof *LIMITS));
    tcase_add_test(all, added_ids_are_limited);
    tcase_add_test(all, a_long_expression_is_left_to_pcre2);
    tcase_add_test(all, the_size_of_a_file_is_limited);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
