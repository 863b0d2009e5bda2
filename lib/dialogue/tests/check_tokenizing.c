/* The tokenizer behind the ABI: outputs are unchanged if a call fails, and sinks receive no empty pieces.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tokenizing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/tests/support.h"

static assay_tokenizer *tokenizer;

static void setup(void)
{
    const char *top = getenv("top_srcdir");
    char dir[1024];
    assay_error err = {0};
    (void)snprintf(dir, sizeof dir, "%s/fixtures/trained/qwen3/model", top ? top : ".");
    ck_assert_msg(serve_tokenizer_open(dir, &tokenizer, &err) == ASSAY_OK, "%s", err.text);
}

static void teardown(void)
{
    serve_tokenizer_free(tokenizer);
}

START_TEST(a_directory_without_a_tokenizer_leaves_none)
{
    assay_tokenizer *none = NULL;
    assay_error err = {0};
    ck_assert_int_eq(serve_tokenizer_open(support_mkdir(support_tmpdir(), "empty"), &none, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "tokenizer.json", NULL);
    ck_assert_ptr_null(none);
    serve_tokenizer_free(NULL);
}
END_TEST

START_TEST(ids_beyond_the_capacity_are_counted_but_not_written)
{
    int32_t ids[8] = {-2, -2, -2, -2, -2, -2, -2, -2};
    char text[8] = "????????";
    size_t n_ids = 0, n = 0;
    assay_error err = {0};
    ck_assert_int_eq(serve_encode(tokenizer, "<think></think><think>", 22, false, ids, 2, &n_ids, &err),
                     ASSAY_OK);
    ck_assert_uint_eq(n_ids, 3);
    ck_assert_int_eq(ids[1], 424);
    ck_assert_int_eq(ids[2], -2);
    ck_assert_int_eq(serve_encode(tokenizer, "<think>", 7, false, NULL, 0, &n_ids, &err), ASSAY_OK);
    ck_assert_uint_eq(n_ids, 1);
    ck_assert_int_eq(serve_decode(tokenizer, (const int32_t[]){423}, 1, false, text, 3, &n, &err), ASSAY_OK);
    ck_assert_uint_eq(n, 7);
    ck_assert_mem_eq(text, "<th?????", 8);
}
END_TEST

START_TEST(a_failure_leaves_the_outputs_unchanged)
{
    static const int32_t bad[] = {423, -1};
    char text[8] = "????????";
    size_t n = 99;
    assay_error err = {0};
    ck_assert_int_eq(serve_decode(tokenizer, bad, 2, false, text, 8, &n, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found id -1", NULL);
    ck_assert_uint_eq(n, 99);
    ck_assert_mem_eq(text, "????????", 8);
}
END_TEST

static void count(void *context, assay_part part, const char *text, size_t n)
{
    ck_assert_int_eq(part, ASSAY_PART_CONTENT);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_gt(n, 0);
    ++*(size_t *)context;
}

START_TEST(a_sink_receives_no_empty_piece)
{
    size_t n = 0, n_ids = 0;
    int32_t ids[8];
    const assay_sink sink = {.take = count, .context = &n};
    assay_detokenizer *d = NULL;
    assay_error err = {0};
    ck_assert_int_eq(serve_encode(tokenizer, "\xe2\x82\xac", 3, false, ids, 8, &n_ids, &err), ASSAY_OK);
    ck_assert_uint_gt(n_ids, 1); /* the euro sign is no token, but its bytes are */
    ck_assert_int_eq(serve_detokenizer_open(tokenizer, false, &d, &err), ASSAY_OK);
    for (size_t i = 0; i < n_ids; i++)
        ck_assert_int_eq(serve_detokenizer_push(d, ids[i], &sink, &err), ASSAY_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(serve_detokenizer_push(d, -1, &sink, &err), ASSAY_EINVAL);
    ck_assert_int_eq(serve_detokenizer_end(d, &sink, &err), ASSAY_OK);
    ck_assert_uint_eq(n, 1);
    serve_detokenizer_free(d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/tokenizing");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, a_directory_without_a_tokenizer_leaves_none);
    tcase_add_test(all, ids_beyond_the_capacity_are_counted_but_not_written);
    tcase_add_test(all, a_failure_leaves_the_outputs_unchanged);
    tcase_add_test(all, a_sink_receives_no_empty_piece);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
