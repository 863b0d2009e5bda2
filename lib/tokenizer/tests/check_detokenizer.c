/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/detokenizer.h"

#include "base/tests/support.h"
#include "tokenizer/tests/tokenizer_file.h"

#include <string.h>

static void expect_text(const tokenizer *t, const int32_t *ids, size_t n, bool skip, const char *expected)
{
    buffer text = {0}, pieces = {0};
    assay_error err = {0};
    detokenizer *d = NULL;
    const char *piece;
    size_t n_piece;
    ck_assert_int_eq(tokenizer_decode(t, ids, n, skip, &text, &err), ASSAY_OK);
    ck_assert_uint_eq(text.n, strlen(expected));
    if (text.n > 0) ck_assert_mem_eq(text.data, expected, text.n);
    ck_assert_int_eq(detokenizer_open(t, skip, &d, &err), ASSAY_OK);
    for (size_t i = 0; i <= n; i++) {
        ck_assert_int_eq(i < n ? detokenizer_push(d, ids[i], &piece, &n_piece, &err)
                               : detokenizer_end(d, &piece, &n_piece, &err),
                         ASSAY_OK);
        ck_assert(buffer_append(&pieces, piece, n_piece));
    }
    ck_assert_uint_eq(pieces.n, text.n);
    if (text.n > 0) ck_assert_mem_eq(pieces.data, text.data, text.n);
    detokenizer_free(d);
    buffer_free(&text);
    buffer_free(&pieces);
}

START_TEST(unknown_ids_have_no_text_and_negative_ids_are_refused)
{
    static const tokenizer_file f = {.added = "[" TOKEN("<x>", NO_FLAGS) "]",
                                     .decoder = "{\"type\":\"Fuse\"}"};
    tokenizer *t = tokenizer_file_open(&f);
    buffer text = {0};
    assay_error err = {0};
    expect_text(t, (const int32_t[]){2, 77, 0, 4}, 4, false, "aba<x>");
    expect_text(t, (const int32_t[]){2, 77, 0, 4}, 4, true, "aba");
    expect_text(t, NULL, 0, true, "");
    ck_assert_int_eq(tokenizer_decode(t, (const int32_t[]){-1}, 1, false, &text, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "tokenizer.json: found id -1", NULL);
    tokenizer_free(t);
    t = tokenizer_file_open(&(tokenizer_file){0});
    expect_text(t, (const int32_t[]){2, 0}, 2, false, "ab a"); /* without a decoder */
    tokenizer_free(t);
}
END_TEST

/* Expects the pieces of all pushes and of the end, concatenated, each followed by '|'. */
static void expect_pieces(const tokenizer *t, const int32_t *ids, size_t n, const char *expected)
{
    buffer pieces = {0};
    assay_error err = {0};
    detokenizer *d = NULL;
    const char *piece;
    size_t n_piece;
    ck_assert_int_eq(detokenizer_open(t, false, &d, &err), ASSAY_OK);
    for (size_t i = 0; i <= n; i++) {
        ck_assert_int_eq(i < n ? detokenizer_push(d, ids[i], &piece, &n_piece, &err)
                               : detokenizer_end(d, &piece, &n_piece, &err),
                         ASSAY_OK);
        ck_assert(buffer_append(&pieces, piece, n_piece) && buffer_append(&pieces, "|", 1));
    }
    ck_assert(buffer_append(&pieces, "", 1));
    ck_assert_str_eq(pieces.data, expected);
    detokenizer_free(d);
    buffer_free(&pieces);
}

START_TEST(a_piece_never_ends_within_a_character)
{
    static const tokenizer_file bytes = {
        .model = BPE_HEAD "\"vocab\":{\"a\":0,\"â\":1,\"Ĥ\":2,\"¬\":3},\"merges\":[]}",
        .decoder = "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":false}"};
    tokenizer *t = tokenizer_file_open(&bytes); /* E2, 82, AC: the euro sign */
    expect_pieces(t, (const int32_t[]){0, 1, 2, 3, 0}, 5, "a|||€|a||");
    expect_pieces(t, (const int32_t[]){1, 0, 1, 2}, 4,
                  "|\xef\xbf\xbd"
                  "a||"
                  "|\xef\xbf\xbd|");
    expect_pieces(t, (const int32_t[]){3, 0}, 2, "\xef\xbf\xbd|a||");
    tokenizer_free(t);
    static const tokenizer_file fallback = {
        .model = BPE_HEAD "\"vocab\":{\"a\":0,\"<0xE2>\":1,\"<0x82>\":2,\"<0xAC>\":3},\"merges\":[]}",
        .decoder = "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                   "{\"type\":\"Strip\",\"content\":\"a\",\"start\":1,\"stop\":0}]}"};
    t = tokenizer_file_open(&fallback);
    expect_pieces(t, (const int32_t[]){0, 1, 2, 3, 0}, 5, "||||€a||");
    /* If a run of byte tokens is invalid UTF-8, even its complete characters become U+FFFD. */
    expect_pieces(t, (const int32_t[]){1, 2, 3, 3, 0}, 5,
                  "|||\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|a||");
    tokenizer_free(t);
}
END_TEST

START_TEST(a_refused_id_leaves_the_output_unchanged)
{
    tokenizer *t = tokenizer_file_open(&(tokenizer_file){0});
    detokenizer *d = NULL;
    assay_error err = {0};
    const char *piece = "as before";
    size_t n_piece = 9;
    ck_assert_int_eq(detokenizer_open(t, false, &d, &err), ASSAY_OK);
    ck_assert_int_eq(detokenizer_push(d, -1, &piece, &n_piece, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "tokenizer.json: found id -1", NULL);
    ck_assert_str_eq(piece, "as before");
    ck_assert_uint_eq(n_piece, 9);
    ck_assert_int_eq(detokenizer_push(d, 0, &piece, &n_piece, &err), ASSAY_OK);
    ck_assert_uint_eq(n_piece, 1);
    detokenizer_free(d);
    detokenizer_free(NULL);
    tokenizer_free(t);
}
END_TEST

/* Metaspace drops the space before the first word, unless prepend_scheme "never" says that none was
 * added. */
START_TEST(metaspace_drops_the_prepended_space)
{
    static const struct {
        const char *decoder, *text;
    } META[] = {
        {"{\"type\":\"Metaspace\",\"replacement\":\"_\"}", "a a"},
        {"{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"always\"}", "a a"},
        {"{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"first\",\"add_prefix_space\":"
         "true}",
         "a a"},
        {"{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"never\"}", " a a"},
        {"{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"never\",\"add_prefix_space\":"
         "false}",
         " a a"},
    };
    for (size_t i = 0; i < sizeof META / sizeof *META; i++) {
        const tokenizer_file f = {.model = BPE_HEAD "\"vocab\":{\"_a\":0},\"merges\":[]}",
                                  .decoder = META[i].decoder};
        tokenizer *t = tokenizer_file_open(&f);
        expect_text(t, (const int32_t[]){0, 0}, 2, false, META[i].text);
        tokenizer_free(t);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer/detokenizer");
    TCase *all = tcase_create("all");
    tcase_add_test(all, unknown_ids_have_no_text_and_negative_ids_are_refused);
    tcase_add_test(all, a_piece_never_ends_within_a_character);
    tcase_add_test(all, a_refused_id_leaves_the_output_unchanged);
    tcase_add_test(all, metaspace_drops_the_prepended_space);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
