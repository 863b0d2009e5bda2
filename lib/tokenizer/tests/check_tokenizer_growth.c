/* The limit on how much a tokenizer.json may grow a text (tokenizer/text/writer.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "tokenizer/detokenizer.h"
#include "tokenizer/encode.h"
#include "tokenizer/tests/tokenizer_file.h"

/* {"type": "Sequence", MEMBER: [ONE, ONE, …]}, with ONE n times. */
static const char *repeated(char *text, size_t size, const char *member, const char *one, size_t n)
{
    size_t at = (size_t)snprintf(text, size, "{\"type\":\"Sequence\",\"%s\":[", member);
    for (size_t i = 0; i < n; i++) at += (size_t)snprintf(text + at, size - at, "%s%s", i ? "," : "", one);
    (void)snprintf(text + at, size - at, "]}");
    return text;
}

static const char TENFOLD[] =
    "{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"},\"content\":\"aaaaaaaaaa\"}";

/* Encodes `piece` n times and expects `expected` ids; 0: expects the error that `what` exceeds the
 * limit. */
static void encode(const tokenizer_file *f, const char *piece, size_t n, size_t expected, const char *what)
{
    tokenizer *t = tokenizer_file_open(f);
    tokenizer_ids ids = {0};
    assay_error err = {0};
    const size_t n_piece = strlen(piece);
    char *text = malloc(n * n_piece);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < n; i++) memcpy(text + i * n_piece, piece, n_piece);
    const assay_status rc = tokenizer_encode(t, text, n * n_piece, true, &ids, &err);
    if (expected > 0) {
        ck_assert_msg(rc == ASSAY_OK, "%s", err.text);
        ck_assert_uint_eq(ids.n, expected);
    } else {
        char words[128];
        (void)snprintf(words, sizeof words, ": %s: grows a text of %zu bytes", what, n * n_piece);
        ck_assert_int_eq(rc, ASSAY_EUNSUPPORTED);
        support_expect_error(&err, ASSAY_EUNSUPPORTED, "tokenizer.json", words,
                             "expected at most 64 times as many and 65536 more", NULL);
    }
    free(text);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
}

START_TEST(normaliser_growth_is_limited)
{
    char steps[4096];
    const tokenizer_file twice = {.normalizer = repeated(steps, sizeof steps, "normalizers", TENFOLD, 2)};
    encode(&twice, "a", 500, 50000, "");
    encode(&twice, "a", 2000, 0, "normalizer"); /* 200,000 of at most 193,536 */
    const tokenizer_file often = {.normalizer = repeated(steps, sizeof steps, "normalizers", TENFOLD, 12)};
    encode(&often, "a", 1, 0, "normalizer");
    encode(&often, "a", 10000, 0, "normalizer");
}
END_TEST

/* Added tokens split a text into parts, which share one limit. */
START_TEST(parts_of_a_text_share_the_growth_limit)
{
    char steps[4096];
    const tokenizer_file f = {.normalizer = repeated(steps, sizeof steps, "normalizers", TENFOLD, 4),
                              .added = "[" TOKEN("|", NO_FLAGS) "]"};
    encode(&f, "a|", 6, 6 * 10001, "");
    encode(&f, "a|", 7, 0, "normalizer"); /* 70,000 of at most 66,432 */
}
END_TEST

START_TEST(pretokenizer_growth_is_limited)
{
    char steps[4096];
    static const char BYTES[] = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}";
    const tokenizer_file f = {.pretokenizer = repeated(steps, sizeof steps, "pretokenizers", BYTES, 30)};
    encode(&f, "\xc3\xa9", 1, 0, "pre_tokenizer");
    encode(&f, "a", 1, 1, "");
}
END_TEST

START_TEST(decoder_growth_is_limited)
{
    char steps[4096];
    buffer out = {0};
    assay_error err = {0};
    const int32_t ids[] = {0, 0};
    const tokenizer_file f = {.decoder = repeated(steps, sizeof steps, "decoders", TENFOLD, 12)},
                         some = {.decoder = repeated(steps + 2048, 2048, "decoders", TENFOLD, 4)};
    tokenizer *t = tokenizer_file_open(&f);
    ck_assert_int_eq(tokenizer_decode(t, ids, 2, false, &out, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "decoder: grows a text of", NULL);
    tokenizer_free(t);
    t = tokenizer_file_open(&some);
    ck_assert_msg(tokenizer_decode(t, ids, 2, false, &out, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(out.n, 20000);
    buffer_free(&out);
    tokenizer_free(t);
}
END_TEST

/* A template with the text n times. */
static const char *template(char *text, size_t size, size_t n)
{
    size_t at =
        (size_t)snprintf(text, size, "{\"type\":\"TemplateProcessing\",\"special_tokens\":{},\"single\":[");
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, size - at, "%s{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}",
                               i ? "," : "");
    (void)snprintf(text + at, size - at, "]}");
    return text;
}

START_TEST(template_repetitions_are_limited)
{
    char text[4096];
    tokenizer *t = NULL;
    assay_error err = {0};
    const tokenizer_file enough = {.post = template(text, sizeof text, 16)};
    encode(&enough, "a", 3, 48, "");
    const tokenizer_file more = {.post = template(text, sizeof text, 17)};
    ck_assert_int_eq(tokenizer_open(tokenizer_file_write(&more), &t, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "tokenizer.json: post_processor",
                         "found the text more than 16 times", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer/tokenizer_growth");
    TCase *all = tcase_create("all");
    tcase_add_test(all, normaliser_growth_is_limited);
    tcase_add_test(all, parts_of_a_text_share_the_growth_limit);
    tcase_add_test(all, pretokenizer_growth_is_limited);
    tcase_add_test(all, decoder_growth_is_limited);
    tcase_add_test(all, template_repetitions_are_limited);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
